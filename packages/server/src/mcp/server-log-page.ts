import type { NumberedEntry, WireEntry } from '@toolyard/mcp-host';
import type { McpLogEntry, McpLogPage } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';

/**
 * Events and wire messages of a server in one list, after the position `after`. An invalid position means the
 * beginning.
 */
export function logPage(
  events: readonly NumberedEntry[],
  messages: readonly WireEntry[],
  after: string | undefined,
  redact: (text: string) => string,
): McpLogPage {
  const last = { event: events.at(-1)?.number ?? 0, message: messages.at(-1)?.number ?? 0 };
  const from = cursorFrom(after, last);
  const items: McpLogEntry[] = [
    ...events
      .filter(({ number }) => number > from.event)
      .map(({ number, at, phase, level, text }): McpLogEntry => ({
        id: `e${number}`,
        kind: 'event',
        at,
        phase,
        level,
        text: redact(text),
      })),
    ...messages
      .filter(({ number }) => number > from.message)
      .map(({ number, kind, id, ...rest }): McpLogEntry => ({
        ...rest,
        id: `m${number}`,
        kind: 'message',
        message: kind,
        ...defined({ requestId: id }),
      })),
  ];
  return { items: items.sort((one, other) => one.at - other.at), next: `${last.event}.${last.message}` };
}

function cursorFrom(text: string | undefined, last: { event: number; message: number }) {
  const [, event = '0', message = '0'] = /^(\d{1,9})\.(\d{1,9})$/.exec(text ?? '') ?? [];
  const cursor = { event: Number(event), message: Number(message) };
  // The log starts again when a server is changed.
  return cursor.event > last.event || cursor.message > last.message ? { event: 0, message: 0 } : cursor;
}
