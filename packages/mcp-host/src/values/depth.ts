/** How deep the values of a server may be nested. What goes further is meant to overflow somebody's stack. */
const MOST_LEVELS = 200;

/** What is said of a value that goes deeper. */
export const TOO_DEEP = `nested more than ${MOST_LEVELS} levels deep`;

/** True for a value that is nested further than anything here is to follow. Does not recurse itself. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MOST_LEVELS; depth++) {
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
