import { fc } from '@toolyard/testing/property';
import { expect, it } from 'vitest';
import type { CallView } from '../transcript/calls.ts';
import { startedCall } from '../transcript/calls.ts';
import { toolResult } from '../transcript/test-fixtures/test-events.ts';
import { groupView, readTurn } from './group-call.ts';

const READY: Partial<CallView> = { tool: { serverId: 'group', name: 'speak' }, arguments: { member: 'a' } };
const results = (status: string, more: object = {}) => ({
  ...READY,
  result: { ...toolResult('x'), structured: { group: { members: [{ agentId: 'a', name: 'Ada', status }], ...more } } },
});
const stopped = { ...toolResult(''), isError: true, error: { code: 'cancelled', message: 'Stopped.' } } as const;
const APPROVAL = { kind: 'approval', id: 'i' } as unknown as CallView['interrupt'];

it.each<[string, Partial<CallView>, ReturnType<typeof groupView>]>([
  ['is hidden while its arguments are streaming', {}, 'hidden'],
  ['is hidden while members have their turns', { ...READY, started: true }, 'hidden'],
  ['is hidden once all members answered', results('done'), 'hidden'],
  ['shows members that did not answer', results('failed'), 'outcome'],
  ['shows a vote', results('done', { vote: {} }), 'outcome'],
  ['shows turns that were stopped', { ...READY, result: stopped }, 'outcome'],
  ['shows turns whose run ended without a result', { ...READY, started: true, over: true }, 'outcome'],
  ['is a card while it needs approval', { ...READY, interrupt: APPROVAL }, 'card'],
  ['is a card if it failed as a call', { ...READY, result: { ...toolResult('bad'), isError: true } }, 'card'],
  ['of another server is a card', { ...READY, tool: { serverId: 'stage', name: 'speak' } }, 'card'],
  ['without arguments of another name is a card', { name: 'search' }, 'card'],
])('a decision of a group %s', (_, change, view) => {
  expect(groupView({ ...startedCall('c', 'speak'), ...change })).toBe(view);
});

it('the id of the run of a turn names the call and the run that asked for it', () => {
  const runId = fc.oneof(fc.uuid(), fc.stringMatching(/^[a-z]\d{0,3}$/));
  const number = fc.nat({ max: 40 });
  fc.assert(
    fc.property(
      runId,
      number,
      fc.constantFrom('', '~2'),
      number,
      number,
      fc.nat({ max: 3 }),
      (root, step, attempt, call, task, depth) => {
        const suffix = `.${String(step)}${attempt}.${String(call)}`;
        const parentRunId = root + `${suffix}.task.${String(task)}`.repeat(depth);
        const callId = parentRunId + suffix;
        expect(readTurn(`${callId}.task.${String(task)}`)).toEqual({ parentRunId, callId, task });
        expect(readTurn(root)).toBeNull();
      },
    ),
  );
});
