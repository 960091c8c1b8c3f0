import type { JsonObject, JsonValue } from '@toolyard/protocol';
import type { CallView } from '../../transcript/calls.ts';
import { lastLine } from './bound-text.ts';
import type { CallStatus } from './call-status.ts';

export type Gist = { text: string; kind: 'code' | 'words' | 'problem' };

/** More does not fit beside a name. */
const LONGEST = 240;

/** One line that tells what a call is about, without unfolding its card; null where there is nothing to tell. */
export function gistOf(call: CallView, status: CallStatus): Gist | null {
  switch (status.kind) {
    case 'writing':
      return call.argumentsText === '' ? null : { text: lastLine(call.argumentsText, 80), kind: 'code' };
    case 'running':
      if (status.progress?.text != null) return { text: oneLine(status.progress.text), kind: 'words' };
      return argumentsGist(call.arguments);
    case 'failed':
      return { text: oneLine(status.error?.message ?? firstText(call)), kind: 'problem' };
    case 'malformed':
      return { text: oneLine(status.raw), kind: 'code' };
    case 'approval':
    case 'in_doubt':
      return null;
    case 'waiting':
    case 'done':
    case 'refused':
    case 'cancelled':
    case 'unknown':
      return argumentsGist(call.arguments);
  }
}

function argumentsGist(values: JsonObject | null): Gist | null {
  if (values === null) return null;
  const parts: string[] = [];
  let length = 0;
  for (const [name, value] of Object.entries(values)) {
    if (length > LONGEST) break;
    const part = `${name}: ${valueGist(value)}`;
    parts.push(part);
    length += part.length;
  }
  return parts.length === 0 ? null : { text: oneLine(parts.join(', ')), kind: 'code' };
}

function valueGist(value: JsonValue): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${String(value.length)}]`;
  if (typeof value === 'object' && value !== null) return '{…}';
  return JSON.stringify(typeof value === 'string' ? value.slice(0, LONGEST) : value);
}

function firstText(call: CallView): string {
  const part = call.result?.content.find(({ type }) => type === 'text');
  return part?.type === 'text' ? part.text : '';
}

function oneLine(text: string): string {
  return text.slice(0, LONGEST).toWellFormed().replaceAll(/\s+/g, ' ').trim();
}
