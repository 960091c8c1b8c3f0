import { expect, test } from 'vitest';
import { keepResultDraft, resultDraft } from './result-drafts.ts';

test('keeps the newest drafts and discards the oldest beyond a limit', () => {
  keepResultDraft('first', 'it');
  keepResultDraft('second', 'x');
  keepResultDraft('first', 'it worked');
  expect(resultDraft('first')).toBe('it worked');
  expect(resultDraft('never')).toBeUndefined();
  for (let index = 0; index < 49; index += 1) keepResultDraft(`call ${String(index)}`, '');
  expect(resultDraft('second')).toBeUndefined();
  expect(resultDraft('first')).toBe('it worked');
});
