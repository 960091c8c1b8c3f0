import type { FiringKey } from '@toolyard/storage';

/** The id of the conversation, the message and the run of one time of a schedule. */
export function runIdOfFiring({ scheduleId, plannedAt }: FiringKey): string {
  return `${scheduleId}.${plannedAt}`;
}

/** The time whose run has this id, if the run belongs to a schedule; null for other ids. */
export function firingOfRun(runId: string): FiringKey | null {
  const [, scheduleId, plannedAt] = /^(.+)\.(\d{1,16})$/s.exec(runId) ?? [];
  return scheduleId === undefined ? null : { scheduleId, plannedAt: Number(plannedAt) };
}
