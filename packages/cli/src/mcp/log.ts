import { setTimeout as sleep } from 'node:timers/promises';
import type { McpLogEntry } from '@toolyard/protocol';
import { plainLine } from '../sanitize.ts';
import type { McpContext } from './mcp-source.ts';
import { listTemplates } from './mcp-source.ts';
import { printLine } from '../output.ts';

const POLL_MS = 1_000;

/** `toolyard mcp log <server>`: prints events and JSON-RPC messages; with `follow`, also new ones. */
export async function showLog(
  { io, source, signal }: McpContext,
  id: string,
  options: { json?: boolean; follow?: boolean; wire?: boolean },
): Promise<void> {
  // A standalone command has not connected yet: connect, so that there is something to show.
  await listTemplates(source, id).catch(() => undefined);
  let after: string | undefined;
  for (;;) {
    const page = await source.api.get('/api/mcp/servers/{id}/log', { params: { id }, query: { after } });
    after = page.next;
    for (const entry of page.items) {
      if (entry.kind === 'message' && options.wire === false) continue;
      if (options.json === true) io.stdout.write(`${JSON.stringify(entry)}\n`);
      else printLine(io, formatLine(entry));
    }
    if (options.follow !== true) return;
    try {
      await sleep(POLL_MS, undefined, { signal });
    } catch {
      // Only the stop signal ends the wait early.
      return;
    }
  }
}

function formatLine(entry: McpLogEntry): string {
  const at = new Date(entry.at).toISOString().slice(11, 23);
  if (entry.kind === 'event') return `${at} ${entry.level.padEnd(7)} ${plainLine(entry.text, 500)}`;
  const { direction, message, method, requestId, text } = entry;
  const what = [message, method, requestId === undefined ? undefined : `#${requestId}`];
  const words = what.filter((word) => word !== undefined).join(' ');
  return `${at} ${direction === 'sent' ? '->' : '<-'} ${plainLine(words, 100)}  ${plainLine(text, 300)}`;
}
