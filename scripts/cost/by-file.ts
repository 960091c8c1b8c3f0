import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { cpuSeconds } from './cpu.ts';

/** Set by `npm test`: the file to which each test file appends its cost. */
export const COSTS_VARIABLE = 'TOOLYARD_TEST_COSTS';

/**
 * Begins to count the CPU time of a test file: imports, tests, and processes that exit before its end. The returned
 * function, called at the end of the file, stores it. Files of one worker are executed one after the other.
 */
export function beginTestFile(): (path: string) => void {
  const costs = process.env[COSTS_VARIABLE];
  const before = cpuSeconds();
  if (costs === undefined || before === null) return () => undefined;
  return (path) => {
    const line = JSON.stringify({ path, cpuSeconds: (cpuSeconds() ?? 0) - before } satisfies TestFileCost);
    appendFileSync(costs, `${line}\n`);
  };
}

type TestFileCost = { path: string; cpuSeconds: number };

/** The CPU seconds of each test file that stored them, by path. */
export function readTestFileCosts(costs: string): ReadonlyMap<string, number> {
  if (!existsSync(costs)) return new Map();
  const lines = readFileSync(costs, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as TestFileCost).map((cost) => [cost.path, cost.cpuSeconds]));
}
