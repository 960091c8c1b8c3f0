import type { AddMcpServer } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { EXIT } from '../exit.ts';
import { showWhileLaunching } from '../show-launches.ts';
import type { McpSource } from './mcp-source.ts';
import { pluralize, printNote, printJson } from './output.ts';
import type { TargetFlags } from './target.ts';
import { transportOf } from './target.ts';

export type AddFlags = TargetFlags & { json?: boolean; disabled?: boolean; test: boolean };

/** `toolyard mcp add`: adds the server to mcp.json, then tests it. A failed test is printed; the entry remains. */
export async function addServerCommand(
  io: CommandIo,
  source: McpSource,
  { id, words, signal }: { id: string; words: readonly string[]; signal: AbortSignal },
  flags: AddFlags,
): Promise<number> {
  const server: AddMcpServer = {
    id,
    transport: transportOf(words, flags),
    ...(flags.disabled === true ? { enabled: false } : {}),
  };
  const view = await source.api.post('/api/mcp/servers', { body: server });
  if (flags.json === true) printJson(io, view);
  printNote(io, `Added "${id}" to mcp.json.`);
  if (view.fault !== undefined && view.error !== undefined) {
    printNote(io, view.error.message);
    if (view.error.hint !== undefined) printNote(io, `  ${view.error.hint}`);
    return EXIT.done;
  }
  if (!flags.test || flags.disabled === true) return EXIT.done;
  const report = await showWhileLaunching(io, source, () => source.api.post('/api/mcp/test', { body: { id }, signal }));
  if (report.ok) {
    printNote(
      io,
      `Connected: ${pluralize(report.offers.tools, 'tool')}, about ${report.tokens} tokens in every request.`,
    );
    return EXIT.done;
  }
  printNote(io, report.error?.message ?? 'The connection failed.');
  if (report.error?.hint !== undefined) printNote(io, `  ${report.error.hint}`);
  return EXIT.done;
}

/** `toolyard mcp remove` */
export async function removeServerCommand(io: CommandIo, source: McpSource, id: string): Promise<number> {
  await source.api.delete('/api/mcp/servers/{id}', { params: { id } });
  printNote(io, `Removed "${id}" from mcp.json.`);
  return EXIT.done;
}
