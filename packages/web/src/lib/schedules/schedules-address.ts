import { settingsAddress } from '../shell/addresses.ts';

/** The schedules, one of them, or (`new`) a new one. */
export function schedulesAddress(schedule?: string): string {
  const path = settingsAddress('schedules');
  return schedule === undefined ? path : `${path}?${new URLSearchParams({ schedule }).toString()}`;
}
