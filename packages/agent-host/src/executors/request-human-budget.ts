import type { BudgetAnswer } from '@toolyard/protocol';
import { defined, checkRaisedLimit } from '@toolyard/protocol';
import type { AgentState, Executor, RunPoint } from '@toolyard/agent-runtime';
import { budgetError, budgetInterrupt, withBudgetAnswer } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';
import { askUnlessStopped } from './ask-unless-stopped.ts';

/** Asks whether a run may continue despite an exhausted budget; ends the run if no user can be asked. */
export function createRequestHumanBudget(host: RunHost): Executor<'request_human_budget'> {
  return async ({ excess, calls, request }, state): Promise<RunPoint> => {
    const { approvalMode, journal } = host;
    const pending = calls.length > 0 ? calls : state.pending;
    const interrupt = budgetInterrupt(state, excess);
    if (approvalMode.mode === 'park') {
      journal.append({ type: 'interrupt_requested', interrupt });
      journal.append({ type: 'run_parked' });
      return {
        state: { ...state, pending, status: 'parked', budgetInterrupt: interrupt },
        context: { phase: 'waiting', ...defined({ request }) },
      };
    }
    const asked: AgentState = { ...state, pending, budgetInterrupt: interrupt };
    const { askBudget, signal } = host;
    if (!askBudget) {
      const { budgetInterrupt: _answered, ...rest } = asked;
      return { state: rest, context: { phase: 'ending', ending: { status: 'failed', error: budgetError(excess) } } };
    }
    journal.append({ type: 'interrupt_requested', interrupt });
    const userAnswer = await askUnlessStopped<BudgetAnswer>(() => askBudget(interrupt, { signal }), signal, STOP);
    if (userAnswer === null) {
      journal.append({ type: 'interrupt_withdrawn', interruptId: interrupt.id });
      return { state: { ...state, pending }, context: { phase: 'human_response', ...defined({ request }) } };
    }
    // A new limit that is exhausted already would be asked about forever.
    const isUsedUp = userAnswer.decision === 'raise' && checkRaisedLimit(interrupt, userAnswer.limit) !== null;
    const answer = isUsedUp ? STOP : userAnswer;
    journal.append({ type: 'interrupt_answered', interruptId: interrupt.id, answer });
    return withBudgetAnswer(asked, answer, request);
  };
}

const STOP: BudgetAnswer = { decision: 'stop' };
