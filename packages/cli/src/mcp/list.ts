import type { McpServerView } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { EXIT } from '../exit.ts';
import { launchLines, showWhileLaunching } from '../show-launches.ts';
import { pluralize, printJson, printNote, printProblem, printTable } from '../output.ts';
import type { McpContext } from './mcp-source.ts';

/** `toolyard mcp list`. Returns 1 if an enabled server has failed, or the file cannot be read. */
export async function listServers({ io, source }: McpContext, { json }: { json?: boolean }): Promise<number> {
  await showWhileLaunching(io, source, () => source.connectAll());
  const { items, fileFault } = await source.api.get('/api/mcp/servers');
  const hasFailed = fileFault !== undefined || items.some(({ state, enabled }) => enabled && state === 'failed');
  const code = hasFailed ? EXIT.failed : EXIT.done;
  if (json === true) {
    printJson(io, { items, ...defined({ fileFault }) });
    return code;
  }
  printTable(io, items.map(toRow));
  for (const { text } of launchLines(items, Date.now())) printNote(io, text);
  if (items.length === 0) printNote(io, 'No servers. Add one with: toolyard mcp add <name> -- <command>');
  for (const { id, error, fault, approval } of items) {
    if (error === undefined) continue;
    const { message, hint } = error;
    printProblem(io, { message: fault === undefined && approval === undefined ? `${id}: ${message}` : message, hint });
  }
  if (fileFault !== undefined) printNote(io, fileFault.message);
  return code;
}

function toRow(server: McpServerView): string[] {
  const { id, state, offers, tokens, transport, origin, protocolVersion, serverInfo, builtIn } = server;
  const title = serverInfo?.title ?? '';
  const isReady = state === 'ready';
  return [
    id,
    formatState(server),
    isReady ? pluralize(offers.tools, 'tool') : '',
    isReady && offers.tools > 0 ? `${tokens} tokens` : '',
    protocolVersion === undefined ? '' : `MCP ${protocolVersion}`,
    ORIGIN_NAMES[origin],
    // How a built-in server is started is of no interest.
    builtIn || transport === null ? '' : transport.type === 'stdio' ? transport.command : transport.url,
    title.toLowerCase() === id.toLowerCase() ? '' : title,
  ];
}

function formatState({ state, fault, approval }: McpServerView): string {
  if (fault !== undefined) return `line ${fault.line} of ${fault.file}`;
  return approval === undefined ? state.replace('_', ' ') : 'needs approval';
}

const ORIGIN_NAMES: Record<McpServerView['origin'], string> = {
  'built-in': 'built in',
  file: 'mcp.json',
  flag: 'command line',
};
