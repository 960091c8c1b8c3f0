import { serverText } from '../../i18n/server-text.ts';
import { formatToolReference } from '@toolyard/protocol';
import { textOfParts } from '../../composer/queue.ts';
import { parseMarkdown } from '../../markdown/incremental.ts';
import type { CallView } from '../../transcript/calls.ts';
import type { AssistantRow, TranscriptRow } from '../../transcript/rows.ts';
import { resultText } from '../tools/result-view.ts';
import { toSegments } from '../tools/call-groups.ts';
import { textOfInline } from '../../markdown/entities.ts';

/** A searchable part of a row. */
export type RowPart = {
  /** Its element has this value as `data-find`. */
  key: string;
  /** Whether the page formats the text as Markdown. */
  isMarkdown: boolean;
  text: string;
  /** What must be expanded to see it, from the outside in: values of `data-expands`. */
  within: readonly string[];
};

/** Separates texts of one part: no query contains it, so that no match spans two blocks. */
const BETWEEN = '\u0000';

export function listParts(row: TranscriptRow): RowPart[] {
  switch (row.kind) {
    case 'user':
      return [plain('text', textOfParts(row.message.parts).trim(), [row.message.id])];
    case 'assistant':
      return answerParts(row);
    case 'compaction':
      return [plain('compaction', row.text, [row.key])];
    case 'notice':
      return [plain('notice', serverText(row.text, row.template).text)];
    case 'budget':
    case 'outcome':
      return [];
  }
}

function answerParts(row: AssistantRow): RowPart[] {
  const parts: RowPart[] = [];
  const outer = row.status === 'abandoned' ? [row.messageId] : [];
  for (const segment of toSegments(row.blocks)) {
    if (segment.type === 'outcome') continue;
    const items = segment.type === 'calls' ? segment.items : [segment];
    const within = segment.type === 'calls' ? [...outer, `calls:${segment.key}`] : outer;
    for (const { block, place } of items) {
      const key = String(place);
      if (block.type === 'text') parts.push({ key, isMarkdown: true, text: block.text, within });
      else if (block.type === 'reasoning')
        parts.push({ key, isMarkdown: true, text: block.text, within: [...within, `${row.key}:${key}`] });
      else if (block.type === 'call')
        parts.push(plain(block.call.callId, callText(block.call), [...within, `${row.runId}:${block.call.callId}`]));
    }
  }
  return parts;
}

function callText(call: CallView): string {
  const name = call.tool === null ? call.name : formatToolReference(call.tool);
  const input = call.arguments === null ? call.argumentsText : JSON.stringify(call.arguments, null, 2);
  return [name, input, call.result === null ? '' : resultText(call.result)].join(BETWEEN);
}

function plain(key: string, text: string, within: readonly string[] = []): RowPart {
  return { key, isMarkdown: false, text, within };
}

/** The text of a part as the page shows it. */
export function shownText({ isMarkdown, text }: RowPart): string {
  if (!isMarkdown) return text;
  const texts: string[] = [];
  collect(parseMarkdown(text), texts);
  return texts.join(BETWEEN);
}

/** By property names, so that it covers every type of block, nested or not. */
function collect(value: unknown, into: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner !== 'string') collect(inner, into);
    else if (name === 'html') into.push(textOfInline(inner));
    else if (name === 'text') into.push(inner);
  }
}
