import { expect, it } from 'vitest';
import { sandboxFields, toSandbox } from './sandbox-fields.ts';

it.each([
  false,
  true,
  { read: ['/a', '/b'], write: ['/c'], network: 'off' as const },
  { network: ['a.example', '*.b.example'], profile: 'browser' as const },
])('converts a sandbox to form values and back: %j', (sandbox) => {
  expect(toSandbox(sandboxFields(sandbox))).toEqual(sandbox);
});

it('shows that a server has no sandbox, and reads hosts separated by commas or line breaks', () => {
  expect(sandboxFields(undefined).sandbox).toBe(false);
  expect(toSandbox({ ...sandboxFields(true), network: 'hosts', hosts: 'a.example, b.example\n' })).toEqual({
    network: ['a.example', 'b.example'],
  });
});
