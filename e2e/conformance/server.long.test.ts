import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Fixture } from './fixture/start-fixture.ts';
import { startFixture } from './fixture/start-fixture.ts';
import { runSuite, printOutcome } from './run-suite.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
});

afterAll(() => fixture.close());

/**
 * Sets of the official suite with their number of scenarios, so that a removed scenario is noticed. Together they cover
 * the requirements of 2025-11-25 and 2026-07-28 at their release.
 */
const SETS: [name: string, args: string[], scenarios: number][] = [
  ['server 2025-06-18', ['--suite', 'all', '--spec-version', '2025-06-18'], 27],
  ['server 2025-11-25', ['--suite', 'all', '--spec-version', '2025-11-25'], 33],
  ['server 2026-07-28', ['--suite', 'all', '--spec-version', '2026-07-28'], 40],
  ['server draft', ['--suite', 'draft'], 19],
  ['server all, with tasks and skills', ['--suite', 'all'], 65],
];

/** Some checks have a timeout of half a second, which a busy machine can exceed; real failures repeat. */
const RETRY = { retry: 2 };

/** The suite's timeout per scenario. */
const SCENARIO_TIMEOUT_MS = '200000';

/** Skipped by the suite for every server, see the last test. */
const HELD_BACK = 'tasks-status-notifications';

test.each(SETS)('%s: the mounted server passes the official suite', RETRY, async (name, args, count) => {
  const outcome = await runSuite(['server', '--url', fixture.url, '--timeout', SCENARIO_TIMEOUT_MS, ...args]);
  printOutcome(name, outcome);
  const failed = outcome.scenarios.filter((scenario) => scenario.failed.length > 0);
  expect(failed, outcome.output.slice(-2_000)).toEqual([]);
  const skipped = outcome.scenarios.flatMap((scenario) => scenario.skipped);
  expect(skipped.filter(({ check }) => check !== HELD_BACK)).toEqual([]);
  expect(outcome.scenarios).toHaveLength(count);
});

test('the skipped check is skipped by the suite without a request', async () => {
  const { scenarios } = await runSuite(['server', '--url', 'http://127.0.0.1:9/nobody', '--scenario', HELD_BACK]);
  const skipped = scenarios.flatMap((scenario) => scenario.skipped);
  expect(skipped.map(({ check }) => check)).toEqual([HELD_BACK]);
  expect(skipped[0]?.reason).toContain('needs a rewrite');
});
