import type { MessageKey } from '../../i18n/catalogue.ts';
import type { Entry } from './timeline.ts';

type Outcome = { words: Extract<MessageKey, `runs.out_${string}`>; bad: boolean };

/** The outcome of an entry if its duration alone does not tell; null for a plain success. */
export function outcomeOf(entry: Entry): Outcome | null {
  if (entry.abandoned) return { words: 'runs.out_abandoned', bad: false };
  switch (entry.kind) {
    case 'model':
      return ofModel(entry.model.finishReason);
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

function ofModel(reason: Extract<Entry, { kind: 'model' }>['model']['finishReason']): Outcome | null {
  switch (reason) {
    case 'tool_calls':
      return { words: 'runs.out_asks', bad: false };
    case 'length':
      return { words: 'runs.out_length', bad: true };
    case 'content_filter':
      return { words: 'runs.out_filter', bad: true };
    case 'cancelled':
      return { words: 'runs.out_cancelled', bad: false };
    case 'error':
      return { words: 'runs.out_failed', bad: true };
    default:
      return null;
  }
}

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
