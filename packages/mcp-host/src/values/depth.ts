/** The deepest nesting accepted from servers; deeper values are meant to overflow a stack. */
const MAX_LEVELS = 200;

/** Describes a value that is nested deeper. */
export const TOO_DEEP = `nested more than ${MAX_LEVELS} levels deep`;

/** True for a value that is nested too deeply. Not recursive itself. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MAX_LEVELS; depth++) {
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue;
      for (const child of Object.values(each)) if (typeof child === 'object' && child !== null) next.push(child);
    }
    if (next.length === 0) return false;
    level = next;
  }
  return true;
}
