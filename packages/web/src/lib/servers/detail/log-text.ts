import type { McpLogEntry } from '@toolyard/protocol';
import { splitWords } from '../tool-search.ts';

export type LogKind = McpLogEntry['kind'];

/** The entries of a kind that contain every word of the filter. */
export function filterLog(entries: readonly McpLogEntry[], kind: LogKind, filter: string): McpLogEntry[] {
  const words = splitWords(filter);
  return entries.filter((entry) => {
    if (entry.kind !== kind) return false;
    const text = toText(entry).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Entries as text, one per line, for bug reports. */
export function logAsText(entries: readonly McpLogEntry[]): string {
  return entries.map((entry) => `${new Date(entry.at).toISOString()} ${toText(entry)}`).join('\n');
}

function toText(entry: McpLogEntry): string {
  if (entry.kind === 'event') return `${entry.level} ${entry.phase} ${entry.text}`;
  const { direction, message, method = '', requestId = '', text } = entry;
  return `${direction} ${message} ${method} ${String(requestId)} ${text}`.replace(/ +/g, ' ');
}
