import type { McpLogEntry } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import { callInLog, progressInLog } from './replay.ts';

type Message = Extract<McpLogEntry, { kind: 'message' }>;
const sent = (message: unknown, changes: Partial<Message> = {}): Message => ({
  id: '1',
  kind: 'message',
  at: 10,
  direction: 'sent',
  message: 'request',
  method: 'tools/call',
  text: JSON.stringify(message),
  ...changes,
});
const call = (args: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'echo', arguments: args },
});

test('reads a call with its arguments from the log', () => {
  expect(callInLog(sent(call({ a: { b: [1] } })))).toEqual({ tool: 'echo', args: { a: { b: [1] } }, isWhole: true });
  expect(callInLog(sent(call(undefined)))).toEqual({ tool: 'echo', args: {}, isWhole: true });
});

test('tells when the log shortened or redacted an argument', () => {
  expect(callInLog(sent(call({ token: '•••' })))?.isWhole).toBe(false);
  expect(callInLog(sent(call({ text: `${'x'.repeat(500)}…` })))?.isWhole).toBe(false);
});

test('offers nothing for other messages and for calls whose structure was cut', () => {
  expect(callInLog(sent(call({}), { direction: 'received' }))).toBeUndefined();
  expect(callInLog(sent(call({}), { method: 'ping' }))).toBeUndefined();
  expect(callInLog(sent(null, { text: '{"params":{"name":"echo","arguments":{"a":…' }))).toBeUndefined();
});

test('finds the last progress since the start of a call', () => {
  const report = (at: number, params: object) =>
    sent({ params }, { at, direction: 'received', method: 'notifications/progress', message: 'notification' });
  const entries = [
    report(5, { progress: 9 }),
    report(20, { progress: 1, total: 4 }),
    report(30, { progress: 2, total: 4, message: 'Half' }),
  ];
  expect(progressInLog(entries, 10)).toEqual({ amount: 2, share: 0.5, text: 'Half' });
  expect(progressInLog(entries.slice(0, 1), 10)).toBeUndefined();
  expect(progressInLog([report(30, { progress: 7 })], 10)).toEqual({ amount: 7 });
});
