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
 * Sets of the official suite, and how many scenarios each has: none is to vanish in silence. Together they hold what
 * 2025-11-25 and 2026-07-28 required when they were released.
 */
const SETS: [name: string, args: string[], scenarios: number][] = [
  ['server 2025-06-18', ['--suite', 'all', '--spec-version', '2025-06-18'], 27],
  ['server 2025-11-25', ['--suite', 'all', '--spec-version', '2025-11-25'], 33],
  ['server 2026-07-28', ['--suite', 'all', '--spec-version', '2026-07-28'], 40],
  ['server draft', ['--suite', 'draft'], 19],
  ['server all, with tasks and skills', ['--suite', 'all'], 65],
];

/** Some checks wait half a second for an answer, whatever the machine is busy with; what is ours fails each time. */
const ANEW = { retry: 2 };

/** How long the suite waits for one of its scenarios. A safety net. */
const PATIENCE_MS = '200000';

/** The suite holds it back by itself, whatever the server: see the last test. */
const HELD_BACK = 'tasks-status-notifications';

test.each(SETS)('%s: the official suite has nothing to say against what we mount', ANEW, async (name, args, count) => {
  const outcome = await runSuite(['server', '--url', fixture.url, '--timeout', PATIENCE_MS, ...args]);
  printOutcome(name, outcome);
  const failed = outcome.scenarios.filter((scenario) => scenario.failed.length > 0);
  expect(failed, outcome.output.slice(-2_000)).toEqual([]);
  const skipped = outcome.scenarios.flatMap((scenario) => scenario.skipped);
  expect(skipped.filter(({ check }) => check !== HELD_BACK)).toEqual([]);
  expect(outcome.scenarios).toHaveLength(count);
});

test('the one check that is skipped is skipped by the suite without asking any server', async () => {
  const { scenarios } = await runSuite(['server', '--url', 'http://127.0.0.1:9/nobody', '--scenario', HELD_BACK]);
  const skipped = scenarios.flatMap((scenario) => scenario.skipped);
  expect(skipped.map(({ check }) => check)).toEqual([HELD_BACK]);
  expect(skipped[0]?.reason).toContain('needs a rewrite');
});
