import { describe, expect, it } from 'vitest';
import type { InterruptAnswer } from '@toolyard/protocol';
import { DEFAULT_LIMITS } from '@toolyard/protocol';
import type { RunPoint } from './agent-runtime.ts';
import { answerInterrupts, approvalOf, checkScope, openInterrupts } from './interrupts.ts';
import type { OpenCall, PendingCall } from './state.ts';
import { initialState } from './state.ts';

function call(callId: string, changes: Partial<OpenCall> = {}): PendingCall {
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

const answers = (answersById: Record<string, InterruptAnswer>): ReadonlyMap<string, InterruptAnswer> =>
  new Map(Object.entries(answersById));

/** Calls in each state, as the first release stores them. */
const STORED = `[
  {"callId":"a","name":"write","tool":{"serverId":"files","name":"write"},"arguments":{},"decision":"undecided"},
  {"callId":"b","name":"gone","tool":null,"arguments":{},"decision":"run","problem":{"code":"tool_not_found","message":"no"}},
  {"callId":"c","name":"write","tool":{"serverId":"files","name":"write"},"arguments":{"to":"c"},"decision":"ask",
   "about":{"description":"Writes","danger":"It overwrites."},"edited":{"danger":"It deletes."},"askedAgain":1},
  {"callId":"d","name":"write","tool":{"serverId":"files","name":"write"},"arguments":{},"decision":"refused",
   "approved":true,"refusal":{"code":"tool_refused","message":"never"}},
  {"callId":"e","name":"write","tool":{"serverId":"files","name":"write"},"arguments":{},"decision":"run","approved":true,
   "inDoubt":{"interruptId":"e.in_doubt.2","sentAt":5}},
  {"callId":"f","name":"ask_user","tool":{"serverId":"toolyard","name":"ask_user"},"arguments":{},"decision":"run",
   "functionInterrupt":{"kind":"prompt","question":"Where?","isOpen":true}},
  {"callId":"g","name":"write","tool":{"serverId":"files","name":"write"},"arguments":{},"decision":"run",
   "serverInterrupts":{"interrupts":[{"interrupt":{"id":"g.tab","kind":"tab","callId":"g","name":"write"}}],"state":{}}},
  {"callId":"h","name":"write","tool":{"serverId":"files","name":"write"},"arguments":{},"decision":"run","approved":true,
   "answered":{"result":{"content":[],"isError":false,"outcome":"done"},"at":9}}
]`;

describe('stored pending calls', () => {
  const stored = JSON.parse(STORED) as PendingCall[];

  it('have the same open interrupts', () => {
    expect(openInterrupts(parked(stored).state).map(({ id, kind }) => [id, kind])).toEqual([
      ['c.approval.1', 'approval'],
      ['e.in_doubt.2', 'in_doubt'],
      ['f.prompt', 'prompt'],
      ['g.tab', 'tab'],
    ]);
  });

  it('are stored in the same shape, and change only by their answers', () => {
    const answersById = answers({
      'c.approval.1': { decision: 'refuse' },
      'e.in_doubt.2': { decision: 'repeat' },
      'f.prompt': { decision: 'say', text: 'here' },
    });
    const { pending } = answerInterrupts(parked(stored), answersById).point.state;
    const [a, b, c, d, e, f, g, h] = JSON.parse(JSON.stringify(pending)) as PendingCall[];
    const [storedA, storedB, storedC, storedD, storedE, storedF, storedG, storedH] = stored;
    expect([a, b, d, g, h]).toEqual([storedA, storedB, storedD, storedG, storedH]);
    expect(c).toEqual({ ...storedC, decision: 'refused', refusal: expect.objectContaining({ code: 'tool_refused' }) });
    expect(e).toEqual({ ...storedE, inDoubt: { ...storedE?.inDoubt, answer: { decision: 'repeat' } } });
    expect(f).toEqual({
      ...storedF,
      functionInterrupt: { ...storedF?.functionInterrupt, answer: { decision: 'say', text: 'here' } },
    });
  });
});

describe('openInterrupts', () => {
  it('lists the calls to approve with their final arguments, and the calls in doubt', () => {
    const doubt = { interruptId: 'b.in_doubt.3', sentAt: 7 };
    const { state } = parked([
      call('a'),
      call('b', { decision: 'run', inDoubt: doubt }),
      call('c', { decision: 'run' }),
    ]);
    expect(openInterrupts(state)).toMatchObject([
      { id: 'a.approval', kind: 'approval', arguments: { to: 'a' } },
      { id: 'b.in_doubt.3', kind: 'in_doubt', sentAt: 7 },
    ]);
  });
});

describe('a call that a rule asks about', () => {
  const byRule = call('a', { about: { byRule: true } });

  it('can be allowed once only', () => {
    const open = approvalOf(byRule);
    if (open === null) throw new Error('no interrupt is open');
    expect(checkScope(open, { decision: 'approve', scope: 'once' })).toBeNull();
    for (const scope of ['conversation', 'always'] as const) {
      expect(checkScope(open, { decision: 'approve', scope })).toContain('A rule asks');
    }
  });

  it('is not settled by an approval of another call', () => {
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

  it('ends the run at a denial that stops it, whatever else is open', () => {
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

  it('settles the other calls of the tool with a lasting decision, and no other tool', () => {
    const other = call('c', { tool: { serverId: 'files', name: 'delete' } });
    const settled = answerInterrupts(
      parked([call('a'), call('b'), other]),
      answers({ 'b.approval': { decision: 'approve', scope: 'conversation' } }),
    );
    expect(settled.answered.map(({ interruptId }) => interruptId)).toEqual(['a.approval', 'b.approval']);
    expect(settled.stillOpen).toEqual(['c.approval']);
  });

  it('rejects an answer of another kind', () => {
    const doubt = { interruptId: 'b.in_doubt.3', sentAt: 7 };
    const { answered, stillOpen } = answerInterrupts(
      parked([call('a'), call('b', { decision: 'run', inDoubt: doubt })]),
      answers({ 'a.approval': { decision: 'repeat' }, 'b.in_doubt.3': { decision: 'approve', scope: 'always' } }),
    );
    expect(answered).toEqual([]);
    expect(stillOpen).toEqual(['a.approval', 'b.in_doubt.3']);
  });

  it('keeps the run parked until every interrupt of every server is answered, in order', () => {
    const asked = (id: string) => {
      const base = { id, callId: 'b', tool: { serverId: 'files', name: 'write' }, name: 'write' };
      return { interrupt: { ...base, kind: 'sign_in' as const } };
    };
    const serverInterrupts = { interrupts: [asked('b.ask.1'), asked('b.ask.2')], state: {} };
    const point = parked([call('b', { decision: 'run', serverInterrupts })]);
    expect(openInterrupts(point.state).map(({ id }) => id)).toEqual(['b.ask.1', 'b.ask.2']);
    const first = answerInterrupts(point, answers({ 'b.ask.2': { decision: 'decline' } }));
    expect(first.stillOpen).toEqual(['b.ask.1']);
    const second = answerInterrupts(first.point, answers({ 'b.ask.1': { decision: 'signed_in' } }));
    expect(second.point.state.status).toBe('running');
    expect(second.point.state.pending[0]?.serverInterrupts?.interrupts.map(({ answer }) => answer?.decision)).toEqual([
      'signed_in',
      'decline',
    ]);
  });

  it('stores the answer about a call in doubt with the call', () => {
    const doubt = { interruptId: 'b.in_doubt.3', sentAt: 7 };
    const { point } = answerInterrupts(
      parked([call('b', { decision: 'run', inDoubt: doubt })]),
      answers({ 'b.in_doubt.3': { decision: 'result', text: 'it is written' } }),
    );
    expect(point.state.pending[0]?.inDoubt?.answer).toEqual({ decision: 'result', text: 'it is written' });
  });
});

describe('a run that waits for sub-agents', () => {
  const waits = (...runIds: string[]): PendingCall =>
    call('d', {
      decision: 'run',
      functionInterrupt: {
        kind: 'delegation',
        tasks: runIds.map((task) => ({ task })),
        isOpen: true,
        children: runIds.map((runId) => ({ title: runId, runId, conversationId: runId })),
      },
    });

  it('stays parked until all of them are over, and every interrupt is answered', () => {
    const first = answerInterrupts(parked([waits('k1', 'k2'), call('a')]), new Map(), new Set(['k1']));
    expect(first.stillOpen).toEqual(['a.approval', 'k2']);
    expect(first.point.state.status).toBe('parked');
    const second = answerInterrupts(first.point, answers({ 'a.approval': { decision: 'approve', scope: 'once' } }));
    expect(second.stillOpen).toEqual(['k2']);
    const last = answerInterrupts(second.point, new Map(), new Set(['k2', 'unknown']));
    expect(last).toMatchObject({ stillOpen: [], point: { state: { status: 'running' } } });
    expect(last.point.state.pending[0]?.functionInterrupt?.answer).toEqual({ decision: 'over' });
  });
});
