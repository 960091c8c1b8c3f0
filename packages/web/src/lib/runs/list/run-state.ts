import Check from '@lucide/svelte/icons/check';
import CircleQuestionMark from '@lucide/svelte/icons/circle-question-mark';
import CircleStop from '@lucide/svelte/icons/circle-stop';
import LoaderCircle from '@lucide/svelte/icons/loader-circle';
import X from '@lucide/svelte/icons/x';
import type { RunStatus } from '@toolyard/protocol';

/** What a user wants to know of a run; a run that waits for its sub-agents works. */
export const RUN_STATES = ['working', 'waiting', 'done', 'failed', 'stopped'] as const;
export type RunState = (typeof RUN_STATES)[number];

/** `asks`: number of open interrupts. */
export function getRunState({ status, asks }: { status: RunStatus; asks: number }): RunState {
  switch (status) {
    case 'done':
    case 'failed':
      return status;
    case 'cancelled':
      return 'stopped';
    default:
      return asks > 0 ? 'waiting' : 'working';
  }
}

/** Icon and colour of each state. */
export const RUN_STATE_LOOKS: Record<RunState, { icon: typeof Check; ink: string; moves?: true }> = {
  working: { icon: LoaderCircle, ink: 'text-accent', moves: true },
  waiting: { icon: CircleQuestionMark, ink: 'text-warn' },
  done: { icon: Check, ink: 'text-muted' },
  failed: { icon: X, ink: 'text-danger' },
  stopped: { icon: CircleStop, ink: 'text-muted' },
};
