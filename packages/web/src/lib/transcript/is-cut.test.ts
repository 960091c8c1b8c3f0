import { expect, it } from 'vitest';
import type { ErrorInfo } from '@toolyard/protocol';
import type { AssistantRow, RowBlock } from './rows.ts';
import { isCut } from './rows.ts';

const text: RowBlock = { type: 'text', text: 'One,', open: false };
const failed = (code: ErrorInfo['code']): RowBlock => ({ type: 'error', error: { code, message: 'No.' } });
const row = (finishReason: AssistantRow['finishReason'], ...blocks: RowBlock[]) =>
  ({ kind: 'assistant', finishReason, blocks }) as unknown as AssistantRow;

it.each<[boolean, string, AssistantRow]>([
  [true, 'one that reached its limit', row('length', text)],
  [true, 'one that was stopped', row('cancelled', text)],
  [true, 'one whose stream broke', row('error', text, failed('stream_broken'))],
  [false, 'one that a wrong key kept from being written', row('error', failed('invalid_key'))],
  [false, 'one whose key was refused in its middle', row('error', text, failed('unauthorized'))],
  [false, 'one that failed before its first word', row('error', failed('overloaded'))],
  [false, 'one that is whole', row('stop', text)],
])('offers to continue (%s): %s', (cut, _name, answer) => {
  expect(isCut(answer)).toBe(cut);
});
