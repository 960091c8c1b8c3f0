/** The UTC day of a time: `2026-11-21`. */
export function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
