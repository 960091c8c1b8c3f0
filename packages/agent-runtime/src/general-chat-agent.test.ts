import { describe, expect, it } from 'vitest';
import type { ErrorInfo, RunLimits, ToolReference } from '@toolyard/protocol';
import { DEFAULT_LIMITS, ZERO_SPENT } from '@toolyard/protocol';
import { BudgetChecker } from './budget-checker.ts';
import { GeneralChatAgent } from './general-chat-agent.ts';
import type { Gate, PolicyVerdict } from './intervention/intervention-checker.ts';
import type { AgentContext, Instruction, RequestMode } from './instructions.ts';
import type { AgentState, OpenCall, PendingCall } from './state.ts';
import { initialState, withPendingCalls } from './state.ts';

const RUN: PolicyVerdict = { decision: 'run' };
const ASK: PolicyVerdict = { decision: 'ask' };

function stateWith(changes: Partial<AgentState> = {}, limits: Partial<RunLimits> = {}): AgentState {
  const base = initialState({
    runId: 'run',
    conversationId: 'talk',
    startedAt: 0,
    limits: { ...DEFAULT_LIMITS, ...limits },
  });
  return { ...base, ...changes };
}

function refused(name: string): PendingCall {
  return { ...call(name), decision: 'refused', refusal: { code: 'tool_refused', message: 'no' } };
}

function call(name: string, changes: Partial<OpenCall> = {}): OpenCall {
  return {
    callId: `id-${name}`,
    name,
    tool: { serverId: 'server', name },
    arguments: {},
    decision: 'undecided',
    ...changes,
  };
}

function answered(changes: Partial<Extract<AgentContext, { phase: 'llm_result' }>> = {}): AgentContext {
  return { phase: 'llm_result', hasText: false, toolChoice: 'auto', filtered: false, ...changes };
}

function decide(state: AgentState, context: AgentContext, gate: Gate = () => RUN): Instruction {
  return new GeneralChatAgent({ gate }).decide(state, context);
}

function findError(instruction: Instruction): ErrorInfo | undefined {
  return 'ending' in instruction && instruction.ending.status === 'failed' ? instruction.ending.error : undefined;
}

describe('GeneralChatAgent', () => {
  it('calls the model after a user message', () => {
    expect(decide(stateWith(), { phase: 'user_input' })).toEqual({ type: 'call_llm', toolChoice: 'auto' });
  });

  it('ends with the answer if the model wrote text without tool calls', () => {
    expect(decide(stateWith({ turns: 1 }), answered({ hasText: true }))).toEqual({
      type: 'finish',
      ending: { status: 'done' },
    });
  });

  it('fails with empty_response if the model wrote neither text nor a call', () => {
    const instruction = decide(stateWith({ turns: 1 }), answered());
    expect(instruction.type).toBe('finish');
    expect(findError(instruction)?.code).toBe('empty_response');
  });

  it('fails as refused if the content filter blocked the whole answer', () => {
    expect(findError(decide(stateWith({ turns: 1 }), answered({ filtered: true })))?.code).toBe('refused');
  });

  it('fails with the error of the model call', () => {
    const error: ErrorInfo = { code: 'no_response', message: 'nothing' };
    expect(decide(stateWith(), answered({ error }))).toEqual({ type: 'finish', ending: { status: 'failed', error } });
  });

  it('makes one call alone and several as a batch, in order', () => {
    const one = stateWith({ pending: [call('a')] });
    expect(decide(one, answered())).toMatchObject({ type: 'call_tool', call: { name: 'a', decision: 'run' } });
    const two = stateWith({ pending: [call('a'), call('b')] });
    const batch = decide(two, answered());
    expect(batch.type === 'call_tools_batch' && batch.calls.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('starts sub-agents before it asks the user, and makes the call when all are over', () => {
    const tasks = [{ task: 'Look' }, { task: 'Listen' }];
    const asks = (count: number): PendingCall => ({
      ...call('delegate'),
      functionInterrupt: { kind: 'delegation', tasks: tasks.slice(0, count), isOpen: false },
    });
    const asking: PendingCall = {
      ...call('ask'),
      functionInterrupt: { kind: 'prompt', question: 'Which?', isOpen: false },
    };
    const type = (...pending: PendingCall[]) => decide(stateWith({ pending }), { phase: 'human_response' }).type;
    expect(type(asks(1), asking)).toBe('exec_sub_agent');
    expect(type(asks(2))).toBe('exec_sub_agents');
    const over: PendingCall = {
      ...call('delegate'),
      functionInterrupt: { kind: 'delegation', tasks, isOpen: true, children: [], answer: { decision: 'over' } },
    };
    expect(type(over, asking)).toBe('request_human_prompt');
    expect(type(over)).toBe('call_tool');
  });

  it('ends a child run at a budget of a run above it, without asking', () => {
    const error: ErrorInfo = { code: 'budget_exceeded', message: 'The budget of this run is used up.' };
    const brain = new GeneralChatAgent({ gate: () => ({ decision: 'run' }), budgetsOfParents: () => error });
    expect(brain.decide(stateWith(), { phase: 'user_input' })).toEqual({
      type: 'finish',
      ending: { status: 'failed', error },
    });
  });

  it('answers open calls instead of making them, once the run must not continue', () => {
    const error: ErrorInfo = { code: 'forbidden', message: 'The key was revoked.' };
    const brain = new GeneralChatAgent({ gate: () => ({ decision: 'run' }), stopped: () => error });
    const state = stateWith({ pending: [call('a')] });
    expect(brain.decide(state, { phase: 'human_response' }).type).toBe('resolve_aborted_tools');
    expect(brain.decide(stateWith(), { phase: 'user_input' }).type).toBe('finish');
  });

  it('prefers calls over text: continues after an answer with both', () => {
    expect(decide(stateWith({ pending: [call('a')] }), answered({ hasText: true })).type).toBe('call_tool');
  });

  it('calls the model again after the tool results', () => {
    for (const phase of ['tool_result', 'tools_batch_result'] as const) {
      expect(decide(stateWith({ turns: 1 }), { phase })).toEqual({ type: 'call_llm', toolChoice: 'auto' });
    }
  });

  it('asks for approval of a batch if one of its calls needs it', () => {
    const state = stateWith({ pending: [call('free'), call('risky')] });
    const instruction = decide(state, answered(), (tool) => (tool.name === 'risky' ? ASK : RUN));
    expect(instruction.type === 'request_human_approve' && instruction.calls.map((c) => c.decision)).toEqual([
      'run',
      'ask',
    ]);
  });

  it('does not ask about a call that cannot be made', () => {
    const problem: ErrorInfo = { code: 'invalid_arguments', message: 'no' };
    const impossible = (name: string, tool: ToolReference | null): PendingCall => ({
      callId: name,
      name,
      tool,
      arguments: {},
      problem,
      decision: 'undecided',
    });
    const state = stateWith({ pending: [impossible('a', { serverId: 'server', name: 'a' }), impossible('b', null)] });
    expect(decide(state, answered(), () => ASK).type).toBe('call_tools_batch');
  });

  it('makes the approved calls after the user answered', () => {
    const state = stateWith({ pending: [call('a', { decision: 'run' }), refused('b')] });
    expect(decide(state, { phase: 'human_response' })).toEqual({ type: 'call_tools_batch', calls: state.pending });
  });

  describe('when permissions change while an approval is open', () => {
    const refusal: ErrorInfo = { code: 'tool_refused', message: 'never' };
    const gate: Gate = ({ name }) => (name === 'forbidden' ? { decision: 'refused', refusal } : ASK);

    it('does not make a call that is now forbidden, although it was approved', () => {
      const pending = [call('forbidden', { decision: 'run', approved: true }), refused('b')];
      expect(decide(stateWith({ pending }), { phase: 'human_response' }, gate)).toMatchObject({
        type: 'call_tools_batch',
        calls: [{ decision: 'refused', refusal }, { decision: 'refused' }],
      });
    });

    it('asks about a call that was allowed before, and not about an approved one', () => {
      const pending = [call('a', { decision: 'run', approved: true }), call('b', { decision: 'run' })];
      expect(decide(stateWith({ pending }), { phase: 'human_response' }, gate)).toMatchObject({
        type: 'request_human_approve',
        calls: [{ decision: 'run' }, { decision: 'ask' }],
      });
    });
  });

  it('passes a refusal of the policy to the model without asking', () => {
    const refusal: ErrorInfo = { code: 'tool_refused', message: 'nobody there' };
    const state = stateWith({ pending: [call('a')] });
    expect(decide(state, answered(), () => ({ decision: 'refused', refusal }))).toMatchObject({
      type: 'call_tool',
      call: { decision: 'refused', refusal },
    });
  });

  describe('when the turns are used up', () => {
    it('makes the last turn answer without tools', () => {
      const state = stateWith({ turns: 4 }, { maxTurns: 5 });
      expect(decide(state, { phase: 'tool_result' })).toEqual({ type: 'call_llm', toolChoice: 'none' });
    });

    it('fails if even that answer requests a tool, and settles the call first', () => {
      const state = stateWith({ turns: 5, pending: [call('a')] }, { maxTurns: 5 });
      const instruction = decide(state, answered({ toolChoice: 'none' }));
      expect(instruction.type).toBe('resolve_aborted_tools');
      expect(findError(instruction)?.code).toBe('max_turns_exceeded');
    });

    it('allows tools up to the last turn with onMaxTurns error, and fails after their results', () => {
      const limits = { maxTurns: 5, onMaxTurns: 'error' } as const;
      expect(decide(stateWith({ turns: 4 }, limits), { phase: 'tool_result' })).toEqual({
        type: 'call_llm',
        toolChoice: 'auto',
      });
      const instruction = decide(stateWith({ turns: 5 }, limits), { phase: 'tool_result' });
      expect(instruction.type).toBe('finish');
      expect(findError(instruction)?.code).toBe('max_turns_exceeded');
    });
  });

  it('asks about a budget before the next model call, not during an answer', () => {
    const budget = { of: 'run', dollars: 0.1 } as const;
    const spent = { dollars: 0.2, tokens: 10, calls: 1, unpriced: 0 };
    const state = stateWith({ turns: 1, cost: 0.2, spent: { run: spent, turn: spent } });
    const checker = new BudgetChecker({ budgets: [budget], model: 'p/m', spent: () => ZERO_SPENT });
    const brain = new GeneralChatAgent({ gate: () => RUN, budgets: (at, need) => checker.check(at, need) });
    expect(brain.decide(state, { phase: 'tool_result' })).toEqual({
      type: 'request_human_budget',
      excess: { budget, measure: 'dollars', spent },
      calls: [],
    });
    expect(brain.decide(state, answered({ hasText: true }))).toEqual({ type: 'finish', ending: { status: 'done' } });
  });

  it('keeps the request options while it asks about a budget', () => {
    const excess = { budget: { of: 'run', calls: 1 }, measure: 'calls', spent: ZERO_SPENT } as const;
    const spent = new GeneralChatAgent({ gate: () => RUN, budgets: () => excess, isNearlyFull: () => true });
    const raised = new GeneralChatAgent({ gate: () => RUN, isNearlyFull: () => true });
    const continues = { parts: [{ type: 'text' as const, text: 'One,' }] };
    const started = spent.decide(stateWith(), { phase: 'user_input', continues });
    expect(started).toMatchObject({ type: 'request_human_budget', request: { continues } });
    const compacted = spent.decide(stateWith(), { phase: 'compressed', continues });
    const request = { afterCompression: true, continues } as const;
    expect(compacted).toMatchObject({ type: 'request_human_budget', request });

    const decideAfter = (request: RequestMode) => raised.decide(stateWith(), { phase: 'human_response', request });
    expect(decideAfter({ continues })).toEqual({ type: 'compress_context', because: 'full', continues });
    expect(decideAfter(request)).toEqual({ type: 'call_llm', toolChoice: 'auto', ...request });
  });

  it('stops a model that repeats a call', () => {
    let state = stateWith({}, { maxSameCall: 2 });
    const again = (): PendingCall[] => [call('a', { arguments: { x: 1, y: 2 } })];
    state = withPendingCalls(state, again());
    state = withPendingCalls(state, [call('a', { arguments: { y: 2, x: 1 } })]);
    expect(decide(state, answered()).type).toBe('call_tool');
    state = withPendingCalls(state, again());
    const instruction = decide(state, answered());
    expect(instruction.type).toBe('resolve_aborted_tools');
    expect(findError(instruction)?.code).toBe('repeated_call');
  });

  it('distinguishes calls with other arguments', () => {
    let state = stateWith({}, { maxSameCall: 1 });
    for (const page of [1, 2, 3]) state = withPendingCalls(state, [call('a', { arguments: { page } })]);
    expect(decide(state, answered()).type).toBe('call_tool');
  });

  it('forgets old calls, so that the stored state stays small', () => {
    let state = stateWith({}, { maxSameCall: 2 });
    const size = (): number => JSON.stringify(state).length;
    for (let page = 1; page <= 200; page++) state = withPendingCalls(state, [call('a', { arguments: { page } })]);
    const sizeBefore = size();
    for (let page = 201; page <= 1_000; page++) state = withPendingCalls(state, [call('a', { arguments: { page } })]);
    expect(size()).toBeLessThan(sizeBefore + 100);
    for (const page of [999, 998, 999]) state = withPendingCalls(state, [call('a', { arguments: { page } })]);
    expect(findError(decide(state, answered()))?.code).toBe('repeated_call');
  });

  it('settles open calls before it ends a stopped run', () => {
    const state = stateWith({ pending: [call('a')] });
    const ending = { status: 'cancelled' } as const;
    expect(decide(state, { phase: 'ending', ending })).toEqual({
      type: 'resolve_aborted_tools',
      calls: state.pending,
      ending,
    });
    expect(decide(stateWith(), { phase: 'ending', ending })).toEqual({ type: 'finish', ending });
  });
});
