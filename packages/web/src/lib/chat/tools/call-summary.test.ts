import { expect, test } from 'vitest';
import { startedCall } from '../../transcript/calls.ts';
import type { CallView } from '../../transcript/calls.ts';
import { callStatus } from './call-status.ts';
import { callSummary } from './call-summary.ts';

const WRITTEN: CallView = { ...startedCall('c1', 'add'), tool: { serverId: 's', name: 'add' }, arguments: {} };
const summary = (call: CallView) => callSummary(call, callStatus(call));

test.each<[string, CallView, object]>([
  [
    'the arguments, shortened',
    { ...WRITTEN, arguments: { city: 'Tokyo', list: [1, 2], inner: { a: 1 }, none: [] } },
    { text: 'city: "Tokyo", list: [2], inner: {…}, none: []', kind: 'code' },
  ],
  ['a call without arguments', WRITTEN, { kind: 'nothing' }],
  [
    'the progress text of the server',
    { ...WRITTEN, started: true, progress: { progress: 1, text: 'a\nb' } },
    { text: 'a b', kind: 'words' },
  ],
  [
    'the error',
    { ...WRITTEN, result: { content: [{ type: 'text', text: 'no such city' }], isError: true, outcome: 'done' } },
    { text: 'no such city', kind: 'problem' },
  ],
  [
    'the end of streaming arguments',
    { ...startedCall('c1', 'add'), argumentsText: '{"a":' },
    { text: '{"a":', kind: 'code' },
  ],
])('shows %s', (_name, call, shown) => {
  expect(summary(call)).toEqual(shown);
});

test('escapes hidden characters and stays short', () => {
  const call = { ...WRITTEN, arguments: { 'com\u200bmand': `rm \u202egnp.exe`, rest: 'x'.repeat(1_000_000) } };
  const shown = summary(call);
  expect(shown).toMatchObject({ text: expect.stringContaining('com⟨U+200B⟩mand: "rm \\u202egnp.exe') as string });
  expect('text' in shown && shown.text.length).toBeLessThan(300);
});
