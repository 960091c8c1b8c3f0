import type { BudgetAnswer, BudgetInterrupt } from '@toolyard/protocol';
import { faultOfRaise } from '@toolyard/protocol';
import type { AgentState, Executor, RunPoint } from '@toolyard/agent-runtime';
import { budgetError, budgetQuestion, withBudgetAnswer } from '@toolyard/agent-runtime';
import type { AskBudget, RunHost } from '../run-host.ts';

/** Asks whether a run may go on past a budget; where nobody can be asked it ends there. */
export function createRequestHumanBudget(host: RunHost): Executor<'request_human_budget'> {
  return async ({ excess, calls, request }, state): Promise<RunPoint> => {
    const { asking, journal } = host;
    const pending = calls.length > 0 ? calls : state.pending;
    const interrupt = budgetQuestion(state, excess);
    if (asking.who === 'park') {
      journal.append({ type: 'interrupt_requested', interrupt });
      journal.append({ type: 'run_parked' });
      return {
        state: { ...state, pending, status: 'parked', asksBudget: interrupt },
        context: { phase: 'waiting', ...(request ? { request } : {}) },
      };
    }
    const asked: AgentState = { ...state, pending, asksBudget: interrupt };
    if (!host.askBudget) {
      const { asksBudget: _nobody, ...rest } = asked;
      return { state: rest, context: { phase: 'ending', ending: { status: 'failed', error: budgetError(excess) } } };
    }
    journal.append({ type: 'interrupt_requested', interrupt });
    const answer = await askOne(host.askBudget, interrupt, host.signal);
    journal.append({ type: 'interrupt_answered', interruptId: interrupt.id, answer });
    return withBudgetAnswer(asked, answer, request);
  };
}

/** Whatever is no answer means stop, and so does a limit that is used up already: it would be asked for ever. */
async function askOne(ask: AskBudget, interrupt: BudgetInterrupt, signal: AbortSignal): Promise<BudgetAnswer> {
  const stopped = new Promise<BudgetAnswer>((resolve) => {
    const stop = (): void => resolve({ decision: 'stop' });
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    const answer = await Promise.race([ask(interrupt, { signal }), stopped]);
    const isNone = answer.decision === 'raise' && faultOfRaise(interrupt, answer.limit) !== null;
    return isNone ? { decision: 'stop' } : answer;
  } catch {
    return { decision: 'stop' };
  }
}
