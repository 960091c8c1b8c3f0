/** A part of `npm test`. */
export type Check = {
  name: string;
  /** Resolves with the problems, or null. */
  run: () => Promise<string | null>;
  /** Checks that must complete first, even if they fail. */
  after?: readonly string[];
};

export type CheckResult = { name: string; wrong: string | null; seconds: number };

/** Each check uses about one core. */
export const CHECKS_AT_ONCE = 2;

/** Runs all checks, even if one fails, in the order of the list and of their dependencies. */
export async function runChecks(checks: readonly Check[]): Promise<CheckResult[]> {
  const remaining = [...checks];
  const running = new Map<string, Promise<void>>();
  const results = new Map<string, CheckResult>();

  async function start({ name, run }: Check): Promise<void> {
    console.log(`\n[${checks.length - remaining.length}/${checks.length}] ${name} ...`);
    const started = performance.now();
    const wrong = await run();
    const seconds = (performance.now() - started) / 1000;
    results.set(name, { name, wrong, seconds });
    running.delete(name);
    if (wrong !== null) console.log(wrong.trimEnd());
    console.log(`    ${name}: ${wrong === null ? 'ok' : 'FAILED'} (${seconds.toFixed(1)} s)`);
  }

  while (remaining.length > 0 || running.size > 0) {
    const ready = remaining.findIndex(({ after = [] }) => after.every((name) => results.has(name)));
    const [next] = ready >= 0 && running.size < CHECKS_AT_ONCE ? remaining.splice(ready, 1) : [];
    if (next) running.set(next.name, start(next));
    else if (running.size > 0) await Promise.race(running.values());
    else throw new Error(`circular dependency of checks: ${remaining.map(({ name }) => name).join(', ')}`);
  }
  return checks.flatMap(({ name }) => results.get(name) ?? []);
}
