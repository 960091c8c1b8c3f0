import type { MessageKey } from '../../i18n/texts.ts';
import type { Entry } from './timeline.ts';

type Outcome = { words: Extract<MessageKey, `runs.out_${string}`>; bad: boolean };

/** The outcome of an entry if its duration alone does not tell; null for a plain success. */
export function findOutcome(entry: Entry): Outcome | null {
  if (entry.abandoned) return { words: 'runs.out_abandoned', bad: false };
  switch (entry.kind) {
    case 'model':
      return MODEL_OUTCOMES[entry.model.finishReason ?? 'stop'] ?? null;
    case 'tool': {
      const { result, startedAt } = entry.call;
      if (result === null) return null;
      if (result.outcome === 'unknown') return { words: 'runs.out_unknown', bad: true };
      if (result.error?.code === 'tool_refused') return { words: 'runs.out_refused', bad: false };
      if (startedAt === null && result.isError) return { words: 'runs.out_not_made', bad: true };
      return result.isError ? { words: 'runs.out_failed', bad: true } : null;
    }
    case 'wait':
      return interruptOutcome(entry.runInterrupt);
    default:
      return null;
  }
}

type FinishReason = Extract<Entry, { kind: 'model' }>['model']['finishReason'];

const MODEL_OUTCOMES: { [Reason in NonNullable<FinishReason>]?: Outcome } = {
  tool_calls: { words: 'runs.out_asks', bad: false },
  length: { words: 'runs.out_length', bad: true },
  content_filter: { words: 'runs.out_filter', bad: true },
  cancelled: { words: 'runs.out_cancelled', bad: false },
  error: { words: 'runs.out_failed', bad: true },
};

function interruptOutcome({ status, answer }: Extract<Entry, { kind: 'wait' }>['runInterrupt']): Outcome {
  if (status === 'open') return { words: 'runs.out_open', bad: false };
  if (status === 'withdrawn') return { words: 'runs.out_withdrawn', bad: false };
  if (answer?.decision === 'approve') {
    return { words: answer.arguments === undefined ? 'runs.out_approved' : 'runs.out_edited', bad: false };
  }
  if (answer?.decision === 'refuse') return { words: 'runs.out_refused', bad: false };
  return answer?.decision === 'decline' || answer?.decision === 'cancel'
    ? { words: 'runs.out_declined', bad: false }
    : { words: 'runs.out_answered', bad: false };
}
