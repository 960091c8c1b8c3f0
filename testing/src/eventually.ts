import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until `check` gives something other than false, null and undefined, and resolves with it. A
 * check that throws counts as not yet true.
 *
 * @param options.timeoutMs when to give up, a minute by default: what waits for a condition asserts no speed.
 * @throws what the check last threw, or an error that says it never became true.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: { timeoutMs?: number; everyMs?: number; what?: string } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const { timeoutMs = 60_000, everyMs = 10, what = 'the condition' } = options;
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    let thrown: Error | undefined;
    try {
      const value = await check();
      if (value !== false && value !== null && value !== undefined) return value as NonNullable<Exclude<T, false>>;
    } catch (error) {
      thrown = error instanceof Error ? error : new Error(String(error));
    }
    if (performance.now() >= giveUpAt) {
      throw thrown ?? new Error(`${what} did not become true within ${timeoutMs} ms`);
    }
    await sleep(everyMs);
  }
}
