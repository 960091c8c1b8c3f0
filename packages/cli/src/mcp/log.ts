import { setTimeout as sleep } from 'node:timers/promises';
import type { McpLogEntry } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { EXIT } from '../exit.ts';
import { plainLine } from '../sanitize.ts';
import type { McpSource } from './mcp-source.ts';
import { printLine } from './output.ts';

const LOOK_MS = 1_000;

/** `toolyard mcp log <server>`: what happened and what went over the wire; with `follow` also what comes. */
export async function showLog(
  io: CommandIo,
  source: McpSource,
  { id, signal }: { id: string; signal: AbortSignal },
  options: { json?: boolean; follow?: boolean; wire?: boolean },
): Promise<number> {
  // Alone nothing has happened yet: the server is connected to see what does.
  await source.templates(id).catch(() => undefined);
  let after: string | undefined;
  for (;;) {
    const page = await source.log(id, after);
    after = page.next;
    for (const entry of page.items) {
      if (entry.kind === 'message' && options.wire === false) continue;
      if (options.json === true) io.stdout.write(`${JSON.stringify(entry)}\n`);
      else printLine(io, lineOf(entry));
    }
    if (options.follow !== true) return EXIT.done;
    try {
      await sleep(LOOK_MS, undefined, { signal });
    } catch {
      // Only the signal ends the wait: nobody wants to follow any longer.
      return EXIT.done;
    }
  }
}

function lineOf(entry: McpLogEntry): string {
  const at = new Date(entry.at).toISOString().slice(11, 23);
  if (entry.kind === 'event') return `${at} ${entry.level.padEnd(7)} ${plainLine(entry.text, 500)}`;
  const { direction, message, method, requestId, text } = entry;
  const what = [message, method, requestId === undefined ? undefined : `#${requestId}`];
  const words = what.filter((word) => word !== undefined).join(' ');
  return `${at} ${direction === 'sent' ? '->' : '<-'} ${plainLine(words, 100)}  ${plainLine(text, 300)}`;
}
