import type { RunEvent } from '@toolyard/protocol';

/** True for what others do something upon: the run waits for somebody, or is over. */
export function isInboxEvent({ type }: RunEvent): boolean {
  return type === 'interrupt_requested' || type === 'run_parked' || type === 'run_finished';
}
