import { expect, it } from 'vitest';
import { withAccess } from './sandbox-edits.ts';

it('allows one thing more and keeps the rest', () => {
  const now = { read: ['/a'], network: ['a.example'] };
  expect(withAccess(now, { kind: 'read', target: '/a' })).toEqual(now);
  expect(withAccess(now, { kind: 'write', target: '/b' })).toEqual({ ...now, write: ['/b'] });
  expect(withAccess(now, { kind: 'host', target: 'b.example' })).toEqual({
    ...now,
    network: ['a.example', 'b.example'],
  });
});
