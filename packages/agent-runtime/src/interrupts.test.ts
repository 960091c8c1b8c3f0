import { describe, expect, it } from 'vitest';
import type { InterruptAnswer } from '@toolyard/protocol';
import { DEFAULT_LIMITS } from '@toolyard/protocol';
import type { RunPoint } from './agent-runtime.ts';
import { answerInterrupts, approvalOf, faultOfScope, openInterrupts } from './interrupts.ts';
import type { PendingCall } from './state.ts';
import { initialState } from './state.ts';

function call(callId: string, changes: Partial<PendingCall> = {}): PendingCall {
  return {
    callId,
    name: 'write',
    tool: { serverId: 'files', name: 'write' },
    arguments: { to: callId },
    decision: 'ask',
    ...changes,
  };
}

function parked(pending: PendingCall[]): RunPoint {
  const state = initialState({ runId: 'r', conversationId: 'c', startedAt: 0, limits: DEFAULT_LIMITS });
  return { state: { ...state, status: 'parked', pending }, context: { phase: 'waiting' } };
}

const answers = (given: Record<string, InterruptAnswer>): ReadonlyMap<string, InterruptAnswer> =>
  new Map(Object.entries(given));

describe('openInterrupts', () => {
  it('names the calls to be asked about, with the arguments that will run, and the calls in doubt', () => {
    const doubt = { interruptId: 'b.in_doubt.3', sentAt: 7 };
    const { state } = parked([call('a'), call('b', { decision: 'run', doubt }), call('c', { decision: 'run' })]);
    expect(openInterrupts(state)).toMatchObject([
      { id: 'a.approval', kind: 'approval', arguments: { to: 'a' } },
      { id: 'b.in_doubt.3', kind: 'in_doubt', sentAt: 7 },
    ]);
  });
});

describe('a call that a rule asks about', () => {
  const byRule = call('a', { about: { byRule: true } });

  it('is allowed once, not for later', () => {
    const open = approvalOf(byRule);
    if (open === null) throw new Error('nothing is asked');
    expect(faultOfScope(open, { decision: 'approve', scope: 'once' })).toBeNull();
    for (const scope of ['conversation', 'always'] as const) {
      expect(faultOfScope(open, { decision: 'approve', scope })).toContain('A rule asks');
    }
  });

  it('is not settled by what was allowed for another call', () => {
    const always = answers({ 'b.approval': { decision: 'approve', scope: 'always' } });
    expect(answerInterrupts(parked([byRule, call('b')]), always).stillOpen).toEqual(['a.approval']);
  });
});

describe('answerInterrupts', () => {
  it('keeps the run parked until everything is answered', () => {
    const point = parked([call('a'), call('b')]);
    const first = answerInterrupts(point, answers({ 'a.approval': { decision: 'approve', scope: 'once' } }));
    expect(first.stillOpen).toEqual(['b.approval']);
    expect(first.point).toMatchObject({ state: { status: 'parked' }, context: { phase: 'waiting' } });

    const second = answerInterrupts(first.point, answers({ 'b.approval': { decision: 'refuse', reason: 'too big' } }));
    expect(second.stillOpen).toEqual([]);
    expect(second.point).toMatchObject({ state: { status: 'running' }, context: { phase: 'human_response' } });
    expect(second.point.state.pending).toMatchObject([
      { decision: 'run' },
      { decision: 'refused', refusal: { message: expect.stringContaining('too big') as string } },
    ]);
  });

  it('ends the run at a refusal that stops it, whatever else is open', () => {
    const { point, answered, stillOpen } = answerInterrupts(
      parked([call('a'), call('b')]),
      answers({ 'b.approval': { decision: 'refuse', reason: 'wrong house', stops: true } }),
    );
    expect(answered.map(({ interruptId }) => interruptId)).toEqual(['b.approval']);
    expect(stillOpen).toEqual([]);
    expect(point).toMatchObject({
      state: { status: 'running' },
      context: { phase: 'ending', ending: { status: 'cancelled' } },
    });
  });

  it('settles the other calls of a tool with a decision that lasts, and no other tool', () => {
    const other = call('c', { tool: { serverId: 'files', name: 'delete' } });
    const settled = answerInterrupts(
      parked([call('a'), call('b'), other]),
      answers({ 'b.approval': { decision: 'approve', scope: 'conversation' } }),
    );
    expect(settled.answered.map(({ interruptId }) => interruptId)).toEqual(['a.approval', 'b.approval']);
    expect(settled.stillOpen).toEqual(['c.approval']);
  });

  it('takes no answer that belongs to another kind of question', () => {
    const doubt = { interruptId: 'b.in_doubt.3', sentAt: 7 };
    const { answered, stillOpen } = answerInterrupts(
      parked([call('a'), call('b', { decision: 'run', doubt })]),
      answers({ 'a.approval': { decision: 'repeat' }, 'b.in_doubt.3': { decision: 'approve', scope: 'always' } }),
    );
    expect(answered).toEqual([]);
    expect(stillOpen).toEqual(['a.approval', 'b.in_doubt.3']);
  });

  it('keeps the run parked until every question of every server is answered, in its own words', () => {
    const asked = (id: string) => {
      const base = { id, callId: 'b', tool: { serverId: 'files', name: 'write' }, name: 'write' };
      return { interrupt: { ...base, kind: 'sign_in' as const } };
    };
    const waits = { questions: [asked('b.ask.1'), asked('b.ask.2')], keeps: {} };
    const point = parked([call('b', { decision: 'run', waits })]);
    expect(openInterrupts(point.state).map(({ id }) => id)).toEqual(['b.ask.1', 'b.ask.2']);
    const first = answerInterrupts(point, answers({ 'b.ask.2': { decision: 'decline' } }));
    expect(first.stillOpen).toEqual(['b.ask.1']);
    const second = answerInterrupts(first.point, answers({ 'b.ask.1': { decision: 'signed_in' } }));
    expect(second.point.state.status).toBe('running');
    expect(second.point.state.pending[0]?.waits?.questions.map(({ answer }) => answer?.decision)).toEqual([
      'signed_in',
      'decline',
    ]);
  });

  it('keeps what a person said about a call in doubt with the call', () => {
    const doubt = { interruptId: 'b.in_doubt.3', sentAt: 7 };
    const { point } = answerInterrupts(
      parked([call('b', { decision: 'run', doubt })]),
      answers({ 'b.in_doubt.3': { decision: 'result', text: 'it is written' } }),
    );
    expect(point.state.pending[0]?.doubt?.answer).toEqual({ decision: 'result', text: 'it is written' });
  });
});
