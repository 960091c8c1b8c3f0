import { expect, test } from 'vitest';
import { keepResultDraft, resultDraft } from './result-drafts.ts';

test('keeps what was written last, and forgets the oldest of very many', () => {
  keepResultDraft('first', 'it');
  keepResultDraft('second', 'x');
  keepResultDraft('first', 'it worked');
  expect(resultDraft('first')).toBe('it worked');
  expect(resultDraft('never')).toBeUndefined();
  for (let index = 0; index < 49; index += 1) keepResultDraft(`call ${String(index)}`, '');
  expect(resultDraft('second')).toBeUndefined();
  expect(resultDraft('first')).toBe('it worked');
});
