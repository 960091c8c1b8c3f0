import { expect } from 'vitest';
import { TEST_SEED } from '@toolyard/testing';
import type { EnduranceResult, EnduranceOptions } from './endurance.ts';
import { runEndurance } from './endurance.ts';
import { formatSummary } from './summary.ts';

/** Generous, because other tests run at the same time; `npm run test:long -- endurance` measures the promised time. */
const FAILOVER_MS = 60_000;

/** Runs an endurance test, and expects no problems in its record. */
export async function expectEnduranceResult(
  options: Pick<EnduranceOptions, 'cluster' | 'forMs' | 'people' | 'roles' | 'faults' | 'restMs'>,
): Promise<EnduranceResult> {
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const result = await runEndurance({ ...options, seed: TEST_SEED, failoverMs: FAILOVER_MS, log });
  process.stdout.write(`endurance: TOOLYARD_SEED=${String(TEST_SEED)}: ${formatSummary(result)}\n`);
  if (result.problems.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
  expect(result.problems).toEqual([]);
  expect(result.runs).toBeGreaterThan(0);
  return result;
}
