import { expect, it } from 'vitest';
import type { ErrorInfo } from '@toolyard/protocol';
import type { AssistantRow, RowBlock } from './rows.ts';
import { isCut } from './rows.ts';

const text: RowBlock = { type: 'text', text: 'One,', open: false };
const failed = (code: ErrorInfo['code']): RowBlock => ({ type: 'error', error: { code, message: 'No.' } });
const row = (finishReason: AssistantRow['finishReason'], ...blocks: RowBlock[]) =>
  ({ kind: 'assistant', finishReason, blocks }) as unknown as AssistantRow;

it.each<[boolean, string, AssistantRow]>([
  [true, 'reached the output limit', row('length', text)],
  [true, 'stopped', row('cancelled', text)],
  [true, 'stream broken', row('error', text, failed('stream_broken'))],
  [false, 'invalid key before any output', row('error', failed('invalid_key'))],
  [false, 'key rejected during the output', row('error', text, failed('unauthorized'))],
  [false, 'failed before any output', row('error', failed('overloaded'))],
  [false, 'complete', row('stop', text)],
])('offers to continue (%s): %s', (cut, _name, answer) => {
  expect(isCut(answer)).toBe(cut);
});
