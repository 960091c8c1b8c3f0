import { expect, it } from 'vitest';
import { uuid } from './uuid.ts';

it('creates UUIDs of version 7 that sort by time', () => {
  const ids = [1, 1_700_000_000_000, 1_900_000_000_000].map((now) => uuid(now));
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect([...ids].sort()).toEqual(ids);
  expect(ids[1]?.slice(0, 13)).toBe('018bcfe5-6800');
  expect(uuid(1)).not.toBe(uuid(1));
});
