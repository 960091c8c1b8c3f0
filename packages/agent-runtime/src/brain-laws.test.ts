import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS, defined, ZERO_SPENT } from '@toolyard/protocol';
import type { ErrorInfo } from '@toolyard/protocol';
import type { BudgetExcess } from './budget-checker.ts';
import { GeneralChatAgent } from './general-chat-agent.ts';
import type { AgentContext, Instruction } from './instructions.ts';
import type { PolicyVerdict } from './intervention/intervention-checker.ts';
import type { AgentState, PendingFunctionInterrupt, PendingCall } from './state.ts';
import { initialState } from './state.ts';

const error = fc.constantFrom<ErrorInfo>(
  { code: 'network', message: 'no line' },
  { code: 'context_exceeded', message: 'too long' },
);

const INTERRUPTS: PendingFunctionInterrupt[] = [
  { kind: 'prompt', question: 'Which?', isOpen: false },
  { kind: 'selection', question: 'Which?', choices: ['a', 'b'], multiple: false, isOpen: false },
  { kind: 'elicitation', mode: 'form', message: 'Which?', requestedSchema: {}, isOpen: false },
  { kind: 'prompt', question: 'Which?', isOpen: true, answer: { decision: 'say', text: 'This' } },
  { kind: 'delegation', tasks: [{ task: 'Look' }], isOpen: false },
  { kind: 'delegation', tasks: [{ task: 'Look' }, { task: 'Listen', context: 'summary' }], isOpen: false },
  { kind: 'delegation', tasks: [{ task: 'Look' }], isOpen: true, children: [], answer: { decision: 'over' } },
];

const call = fc
  .record({
    index: fc.nat(5),
    name: fc.constantFrom('read', 'write', 'ask_user', 'gone'),
    decision: fc.constantFrom('undecided', 'run', 'ask', 'refused'),
    isApproved: fc.boolean(),
    hasProblem: fc.boolean(),
    asks: fc.option(fc.constantFrom<PendingFunctionInterrupt>(...INTERRUPTS), { nil: undefined }),
  })
  .map(({ index, name, decision, isApproved, hasProblem, asks }): PendingCall => {
    const named = {
      callId: `${name}.${index}`,
      name,
      arguments: { question: 'Which?' },
      ...(isApproved ? { approved: true as const } : {}),
    };
    if (name === 'gone' || hasProblem) {
      const tool = name === 'gone' ? null : { serverId: 's', name };
      const isJudged = decision !== 'undecided';
      const problem = { code: 'invalid_arguments', message: 'no' } as const;
      return { ...named, tool, problem, decision: isJudged ? 'run' : 'undecided' };
    }
    return {
      ...named,
      tool: { serverId: 's', name },
      ...(decision === 'refused' ? { decision, refusal: { code: 'tool_refused', message: 'no' } } : { decision }),
      ...(asks ? { functionInterrupt: asks } : {}),
    };
  });

const state = fc
  .record({
    turns: fc.nat(6),
    maxTurns: fc.integer({ min: 1, max: 5 }),
    onMaxTurns: fc.constantFrom('answer', 'error'),
    pending: fc.uniqueArray(call, { maxLength: 4, selector: ({ callId }) => callId }),
  })
  .map(({ turns, maxTurns, onMaxTurns, pending }): AgentState => {
    const limits = { ...DEFAULT_LIMITS, maxTurns, onMaxTurns };
    return { ...initialState({ runId: 'r', conversationId: 'c', startedAt: 0, limits }), turns, pending };
  });

const context = fc.oneof(
  fc.constantFrom<AgentContext>(
    { phase: 'user_input' },
    { phase: 'compressed' },
    { phase: 'human_response' },
    { phase: 'tool_result' },
    { phase: 'tools_batch_result' },
    { phase: 'ending', ending: { status: 'cancelled' } },
  ),
  fc
    .record({
      hasText: fc.boolean(),
      toolChoice: fc.constantFrom('auto', 'none'),
      filtered: fc.boolean(),
      afterCompression: fc.boolean(),
      error: fc.option(error, { nil: undefined }),
    })
    .map(({ afterCompression, error, ...rest }): AgentContext => ({
      phase: 'llm_result',
      ...rest,
      ...(afterCompression ? { afterCompression: true as const } : {}),
      ...defined({ error }),
    })),
);

const verdict = fc.constantFrom<PolicyVerdict>(
  { decision: 'run' },
  { decision: 'ask', about: {} },
  { decision: 'refused', refusal: { code: 'tool_refused', message: 'never' } },
);

const situation = fc.record({
  state,
  context,
  verdicts: fc.dictionary(fc.constantFrom('read', 'write', 'ask_user'), verdict),
  isNearlyFull: fc.boolean(),
  isUsedUp: fc.boolean(),
});

type Situation = typeof situation extends fc.Arbitrary<infer Of> ? Of : never;

/** Removes combinations that cannot occur: a state has pending calls only after an answer or an interrupt. */
function settle({ state: of, ...rest }: Situation): Situation {
  const { phase } = rest.context;
  const waits = phase === 'llm_result' || phase === 'human_response' || phase === 'ending';
  const isFailed = rest.context.phase === 'llm_result' && rest.context.error !== undefined;
  return { ...rest, state: waits && !isFailed ? of : { ...of, pending: [] } };
}

function decide(situation: Situation): Instruction | null {
  const { state: of, context: about, verdicts, isNearlyFull, isUsedUp } = situation;
  const excess: BudgetExcess = { budget: { of: 'run', dollars: 1 }, measure: 'dollars', spent: ZERO_SPENT };
  if (about.phase === 'human_response' && of.pending.length === 0) return null;
  const brain = new GeneralChatAgent({
    gate: ({ name }) => verdicts[name] ?? { decision: 'run' },
    onlyAsks: ({ name }) => name === 'ask_user',
    isNearlyFull: () => isNearlyFull,
    budgets: (_state, need) => (isUsedUp && need === 'model' ? excess : null),
  });
  return brain.decide(of, about);
}

function forAllSituations(law: (instruction: Instruction, of: Situation) => void): void {
  fc.assert(
    fc.property(situation.map(settle), (of) => {
      const instruction = decide(of);
      if (instruction) law(instruction, of);
    }),
    cases(2_000),
  );
}

describe('in any state, the brain', () => {
  test('returns the same instruction for the same state', () => {
    forAllSituations((instruction, of) => expect(decide(of)).toEqual(instruction));
  });

  test('never calls the model with an open call, without a turn left, or with an exhausted budget', () => {
    forAllSituations((instruction, { isUsedUp, state: { turns, limits, pending } }) => {
      if (instruction.type !== 'call_llm' && instruction.type !== 'compress_context') return;
      expect(pending).toEqual([]);
      if (instruction.type === 'compress_context' && instruction.because === 'refused') return;
      expect(turns).toBeLessThan(limits.maxTurns);
      expect(isUsedUp).toBe(false);
    });
  });

  test('runs no call that the policy refuses, or that it asks about without an approval', () => {
    forAllSituations((instruction, { verdicts }) => {
      const made =
        instruction.type === 'call_tool'
          ? [instruction.call]
          : instruction.type === 'call_tools_batch'
            ? instruction.calls
            : [];
      for (const { decision, problem, tool, approved, name } of made) {
        expect(decision).not.toBe('ask');
        if (decision !== 'run' || problem || tool === null) continue;
        expect(verdicts[name]?.decision).not.toBe('refused');
        if (name !== 'ask_user' && verdicts[name]?.decision === 'ask') expect(approved).toBe(true);
      }
    });
  });

  test('requests every interrupt of a tool before it makes a call, and nothing else', () => {
    forAllSituations((instruction) => {
      if (!('calls' in instruction) || instruction.type === 'resolve_aborted_tools') return;
      const asks = instruction.calls.flatMap(({ functionInterrupt: one, decision }) =>
        decision === 'run' && one && !one.answer ? [one.kind] : [],
      );
      const asksUser = instruction.type === 'request_human_prompt' || instruction.type === 'request_human_select';
      const delegates = instruction.type === 'exec_sub_agent' || instruction.type === 'exec_sub_agents';
      const first = instruction.type === 'request_human_approve' || instruction.type === 'request_human_budget';
      if (!first) expect(asksUser || delegates).toBe(asks.length > 0);
      if (!first) expect(delegates).toBe(asks.includes('delegation'));
      if (instruction.type === 'request_human_select') expect(new Set(asks)).toEqual(new Set(['selection']));
    });
  });

  test('never ends with an unanswered call', () => {
    forAllSituations((instruction, { state: { pending } }) => {
      if (instruction.type === 'finish') expect(pending).toEqual([]);
    });
  });

  test('compacts once for a request that exceeded the window, and not again', () => {
    forAllSituations((instruction, { context: about }) => {
      if (instruction.type !== 'compress_context' || instruction.because !== 'refused') return;
      expect(about.phase === 'llm_result' && about.afterCompression).toBeFalsy();
    });
  });

  test('calls the model right after a compaction, however full the window is', () => {
    forAllSituations((instruction, { context: about }) => {
      if (about.phase === 'compressed')
        expect(['call_llm', 'request_human_budget', 'finish']).toContain(instruction.type);
    });
  });
});
