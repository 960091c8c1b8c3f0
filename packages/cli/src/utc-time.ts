/** The day of a time in milliseconds since 1970, in UTC: `2026-01-31`. */
export function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The same with hour and minute: `2026-01-31 09:30`. */
export function toMinute(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}

/** The same with seconds: `2026-01-31 09:30:00`. */
export function toSecond(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ');
}
