import type { RunEvent } from '@toolyard/protocol';

/** True for events that change the inbox: the run waits for the user, or has ended. */
export function isInboxEvent({ type }: RunEvent): boolean {
  return type === 'interrupt_requested' || type === 'run_parked' || type === 'run_finished';
}
