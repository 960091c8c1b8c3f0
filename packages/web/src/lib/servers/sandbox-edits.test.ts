import { expect, it } from 'vitest';
import { allowing } from './sandbox-edits.ts';

it('allows one thing more and keeps the rest', () => {
  const now = { read: ['/a'], network: ['a.example'] };
  expect(allowing(now, { kind: 'read', target: '/a' })).toEqual(now);
  expect(allowing(now, { kind: 'write', target: '/b' })).toEqual({ ...now, write: ['/b'] });
  expect(allowing(now, { kind: 'host', target: 'b.example' })).toEqual({ ...now, network: ['a.example', 'b.example'] });
});
