import type { ApprovalInterrupt, ToolResult } from '@toolyard/protocol';
import { describe, expect, test } from 'vitest';
import { malformedCall, startedCall } from '../../transcript/calls.ts';
import type { CallView } from '../../transcript/calls.ts';
import { callStatus, shownDuration } from './call-status.ts';

const WRITTEN: CallView = { ...startedCall('c1', 'add'), tool: { serverId: 's', name: 'add' }, arguments: { a: 1 } };
const SENT: CallView = { ...WRITTEN, started: true, startedAt: 100 };
const ASKED: ApprovalInterrupt = {
  id: 'i',
  kind: 'approval',
  callId: 'c1',
  tool: { serverId: 's', name: 'add' },
  name: 'add',
  arguments: { a: 1 },
};

function answered(result: Partial<ToolResult>, call: CallView = SENT): CallView {
  return { ...call, result: { content: [], isError: false, outcome: 'done', ...result } };
}

const REFUSED = { code: 'tool_refused', message: 'The person refused this call.' } as const;
const CANCELLED = { code: 'cancelled', message: 'Stopped.' } as const;

describe('call status', () => {
  test.each<[string, CallView, object]>([
    ['is writing while the arguments stream', startedCall('c1', 'add'), { kind: 'writing' }],
    ['is waiting before the start', WRITTEN, { kind: 'waiting' }],
    ['is approval while the user decides', { ...WRITTEN, interrupt: ASKED }, { kind: 'approval', interrupt: ASKED }],
    ['is running after the start', SENT, { kind: 'running', since: 100, progress: null }],
    [
      'is queued behind calls of other chats',
      { ...SENT, progress: { progress: 0, text: 'Waits', waitsFor: ['b'] } },
      { kind: 'queued', waitsFor: ['b'] },
    ],
    ['is done with a result', answered({}), { kind: 'done' }],
    ['is failed if the tool reports an error', answered({ isError: true }), { kind: 'failed', error: null }],
    [
      'is refused if the user denied it, with the reason',
      answered(
        { isError: true, outcome: 'not_sent', error: REFUSED },
        {
          ...WRITTEN,
          answer: { decision: 'refuse', reason: 'not here' },
        },
      ),
      { kind: 'refused', error: REFUSED, reason: 'not here' },
    ],
    [
      'is cancelled if stopped before the start',
      answered({ isError: true, outcome: 'not_sent', error: CANCELLED }, WRITTEN),
      { kind: 'cancelled', started: false },
    ],
    [
      'is cancelled after the start if stopped while executing',
      answered({ isError: true, outcome: 'unknown', error: CANCELLED }),
      { kind: 'cancelled', started: true },
    ],
    [
      'is unknown if the outcome is unknown',
      answered({ isError: true, outcome: 'unknown' }),
      { kind: 'unknown', error: null },
    ],
    ['is unknown if the run ended after the start', { ...SENT, over: true }, { kind: 'unknown', error: null }],
    [
      'is cancelled if the run ended before the start',
      { ...WRITTEN, over: true },
      { kind: 'cancelled', started: false },
    ],
    [
      'is cancelled if the run ended during approval',
      { ...WRITTEN, interrupt: ASKED, over: true },
      { kind: 'cancelled' },
    ],
  ])('%s', (_name, call, status) => {
    expect(callStatus(call)).toMatchObject(status);
  });

  test('stays invalid, whatever result the model received', () => {
    const call = malformedCall({ type: 'malformed_tool_call', callId: 'm', raw: '{"a"', reason: 'It breaks off.' });
    const status = { kind: 'malformed', raw: '{"a"', reason: 'It breaks off.' };
    expect(callStatus(call)).toEqual(status);
    expect(callStatus(answered({ isError: true, outcome: 'not_sent' }, call))).toEqual(status);
  });
});

describe('progress', () => {
  test.each([
    [
      { progress: 3, total: 4, text: 'half way' },
      { share: 0.75, text: 'half way' },
    ],
    [
      { progress: 9, total: 4 },
      { share: 1, text: null },
    ],
    [
      { progress: -1, total: 4 },
      { share: 0, text: null },
    ],
    [{ progress: 3 }, { share: null, text: null }],
    [
      { progress: 3, total: 0 },
      { share: null, text: null },
    ],
  ])('%j is shown as %j', (progress, shown) => {
    expect(callStatus({ ...SENT, progress })).toMatchObject({ progress: shown });
  });
});

test('shows the duration of tools only, not of waiting for the user', () => {
  expect(shownDuration({ ...answered({}), durationMs: 12 })).toBe(12);
  expect(shownDuration({ ...answered({ outcome: 'not_sent', isError: true }), durationMs: 12 })).toBeNull();
  const answeredCall = answered({}, { ...SENT, answer: { decision: 'result', text: 'It was sent.' } });
  expect(shownDuration({ ...answeredCall, durationMs: 0 })).toBeNull();
  expect(shownDuration({ ...answered({}, WRITTEN), durationMs: 12 })).toBeNull();
});

test.each([undefined, 'not here'])(
  'a denied call is denied at once, while others are still open (reason: %s)',
  (reason) => {
    const answer = { decision: 'refuse', ...(reason === undefined ? {} : { reason }) } as const;
    expect(callStatus({ ...WRITTEN, answer })).toEqual({ kind: 'refused', error: null, reason: reason ?? null });
  },
);
