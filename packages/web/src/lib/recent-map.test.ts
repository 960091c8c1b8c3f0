import { expect, it } from 'vitest';
import { RecentMap } from './recent-map.ts';

it('forgets the entry that was set longest ago', () => {
  const drafts = new RecentMap<string, string>(50);
  drafts.set('first', 'it');
  drafts.set('second', 'x');
  drafts.set('first', 'it worked');
  expect(drafts.get('first')).toBe('it worked');
  expect(drafts.get('never')).toBeUndefined();
  for (let index = 0; index < 49; index += 1) drafts.set(`call ${String(index)}`, '');
  expect(drafts.get('second')).toBeUndefined();
  expect(drafts.get('first')).toBe('it worked');
});
