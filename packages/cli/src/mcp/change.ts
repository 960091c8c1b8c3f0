import type { AddMcpServer } from '@toolyard/protocol';
import { showWhileLaunching } from '../show-launches.ts';
import type { McpContext } from './mcp-source.ts';
import { pluralize, printJson, printNote, printProblem } from '../output.ts';
import type { TargetFlags } from './target.ts';
import { readTransport } from './target.ts';

export type AddFlags = TargetFlags & { json?: boolean; disabled?: boolean; test: boolean };

/** `toolyard mcp add`: adds the server to mcp.json, then tests it. A failed test is printed; the entry remains. */
export async function addServerCommand(
  { io, source, signal }: McpContext,
  id: string,
  words: readonly string[],
  flags: AddFlags,
): Promise<void> {
  const server: AddMcpServer = {
    id,
    transport: readTransport(words, flags),
    ...(flags.disabled === true ? { enabled: false } : {}),
  };
  const view = await source.api.post('/api/mcp/servers', { body: server });
  if (flags.json === true) printJson(io, view);
  printNote(io, `Added "${id}" to mcp.json.`);
  if (view.fault !== undefined && view.error !== undefined) return printProblem(io, view.error);
  if (!flags.test || flags.disabled === true) return;
  const report = await showWhileLaunching(io, source, () => source.api.post('/api/mcp/test', { body: { id }, signal }));
  if (!report.ok) return printProblem(io, report.error ?? { message: 'The connection failed.' });
  printNote(
    io,
    `Connected: ${pluralize(report.offers.tools, 'tool')}, about ${report.tokens} tokens in every request.`,
  );
}

/** `toolyard mcp remove` */
export async function removeServerCommand({ io, source }: McpContext, id: string): Promise<void> {
  await source.api.delete('/api/mcp/servers/{id}', { params: { id } });
  printNote(io, `Removed "${id}" from mcp.json.`);
}
