/** A part of `npm test`. */
export type Check = {
  name: string;
  /** Resolves with what is wrong, or null; `ended` are the results of the checks that have ended. */
  run: (ended: ReadonlyMap<string, CheckResult>) => Promise<string | null>;
  /** The rows of docs/requirements.md that it proves by passing. */
  proves?: readonly string[];
  /** The checks that must have ended before, whether they failed or not. */
  after?: readonly string[];
};

export type CheckResult = { name: string; wrong: string | null; seconds: number };

/** Most checks keep one core busy each. */
export const CHECKS_AT_ONCE = 2;

/** Runs all of them, even if one fails, in the order of the list where nothing must be waited for. */
export async function runChecks(checks: readonly Check[]): Promise<CheckResult[]> {
  const left = [...checks];
  const running = new Map<string, Promise<void>>();
  const results = new Map<string, CheckResult>();

  async function start({ name, run }: Check): Promise<void> {
    console.log(`\n[${checks.length - left.length}/${checks.length}] ${name} ...`);
    const started = performance.now();
    const wrong = await run(results);
    const seconds = (performance.now() - started) / 1000;
    results.set(name, { name, wrong, seconds });
    running.delete(name);
    if (wrong !== null) console.log(wrong.trimEnd());
    console.log(`    ${name}: ${wrong === null ? 'ok' : 'FAILED'} (${seconds.toFixed(1)} s)`);
  }

  while (left.length > 0 || running.size > 0) {
    const ready = left.findIndex(({ after = [] }) => after.every((name) => results.has(name)));
    const [next] = ready >= 0 && running.size < CHECKS_AT_ONCE ? left.splice(ready, 1) : [];
    if (next) running.set(next.name, start(next));
    else if (running.size > 0) await Promise.race(running.values());
    else throw new Error(`nothing ends before ${left.map(({ name }) => name).join(', ')}`);
  }
  return checks.flatMap(({ name }) => results.get(name) ?? []);
}
