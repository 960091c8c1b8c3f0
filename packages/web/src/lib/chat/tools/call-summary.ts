import type { JsonObject, JsonValue, ErrorInfo } from '@toolyard/protocol';
import { showHidden } from '@toolyard/protocol';
import { serverText } from '../../i18n/server-text.ts';
import type { CallView } from '../../transcript/calls.ts';
import { lastLine } from './bound-text.ts';
import type { CallStatus } from './call-status.ts';
import { stringPieces } from './string-pieces.ts';

/** `nothing`: a call without arguments. */
export type CallSummary = { text: string; kind: 'code' | 'words' | 'problem' } | { kind: 'nothing' };

/** Maximum length in characters; more does not fit beside a name. */
const MAX_LENGTH = 240;

/** A one-line summary of a call for its collapsed card. Every call has one, so that the height of cards is constant. */
export function callSummary(call: CallView, status: CallStatus): CallSummary {
  switch (status.kind) {
    case 'writing':
      return { text: lastLine(call.argumentsText, 80), kind: 'code' };
    case 'running':
      if (status.progress?.text != null) return { text: oneLine(status.progress.text), kind: 'words' };
      return argumentsSummary(call.editedArguments ?? call.arguments);
    case 'failed': {
      const problem = oneLine(status.error === null ? firstText(call) : messageLine(status.error));
      return problem === ''
        ? argumentsSummary(call.editedArguments ?? call.arguments)
        : { text: problem, kind: 'problem' };
    }
    case 'malformed':
      return { text: oneLine(status.raw), kind: 'code' };
    case 'approval':
    case 'in_doubt':
    case 'asked':
    case 'waiting':
    case 'queued':
    case 'done':
    case 'refused':
    case 'cancelled':
    case 'unknown':
      return argumentsSummary(call.editedArguments ?? call.arguments);
  }
}

function argumentsSummary(values: JsonObject | null): CallSummary {
  if (values === null) return { text: '', kind: 'code' };
  const parts: string[] = [];
  let length = 0;
  for (const [name, value] of Object.entries(values)) {
    if (length > MAX_LENGTH) break;
    const part = `${showHidden(name)}: ${valueSummary(value)}`;
    parts.push(part);
    length += part.length;
  }
  return parts.length === 0 ? { kind: 'nothing' } : { text: oneLine(parts.join(', ')), kind: 'code' };
}

function valueSummary(value: JsonValue): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${String(value.length)}]`;
  if (typeof value === 'object' && value !== null) return '{…}';
  const source = JSON.stringify(typeof value === 'string' ? value.slice(0, MAX_LENGTH) : value);
  const pieces = [...stringPieces(source)].map((piece) => (piece === 'line break' ? '\\n' : piece.text));
  return pieces.join('');
}

function firstText(call: CallView): string {
  const part = call.result?.content.find(({ type }) => type === 'text');
  return part?.type === 'text' ? part.text : '';
}

function oneLine(text: string): string {
  return text.slice(0, MAX_LENGTH).toWellFormed().replaceAll(/\s+/g, ' ').trim();
}

function messageLine({ message, templates }: ErrorInfo): string {
  return serverText(message, templates?.['message']).text;
}
