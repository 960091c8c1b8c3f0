import type { ScheduleFiring } from '@toolyard/protocol';
import { t } from '../i18n/i18n.svelte.ts';

/** What happened at one time: the state of its run, or the outcome without a run. */
export function outcomeText({ outcome, runStatus }: ScheduleFiring): string {
  if (outcome !== 'started' || runStatus === null) return t(`schedules.outcome_${outcome}`);
  return t(`schedules.run_${runStatus}`);
}

export function outcomeTone({ outcome, runStatus }: ScheduleFiring): string {
  if (outcome === 'failed' || runStatus === 'failed') return 'text-danger';
  if (runStatus === 'parked') return 'text-warn';
  return runStatus === 'done' ? 'text-ok' : 'text-muted';
}
