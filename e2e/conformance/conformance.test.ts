import { expect, test } from 'vitest';
import { within } from '@toolyard/testing';
import { openClientResults } from './client-results.ts';
import { startFixture } from './fixture/start-fixture.ts';
import type { SuiteOutcome } from './run-suite.ts';
import { runSuite, printOutcome } from './run-suite.ts';

// A selection of the official suite; all of it: `client.long.test.ts`, `server.long.test.ts` and `npm run test:long -- conformance`.

/** Scenarios of the oldest revision with sign-in, and one per later revision. */
const CLIENT_SCENARIOS = [
  ['initialize', '2025-11-25'],
  ['tools_call', '2026-07-28'],
  ['auth/basic-cimd', '2026-07-28'],
] as const;

/** Covers most of the protocol: tools, prompts, resources, elicitation, sampling, logging. */
const SERVER_SUITE = { specVersion: '2025-06-18', scenarios: 27 };

function expectNoFailures(outcome: SuiteOutcome): void {
  const failed = outcome.scenarios.filter(({ failed: checks }) => checks.length > 0);
  expect(failed, outcome.output.slice(-2_000)).toEqual([]);
  expect(outcome.scenarios.every(({ passed }) => passed > 0)).toBe(true);
}

test.each(CLIENT_SCENARIOS)('the host passes the client scenario %s of %s', async (scenario, version) => {
  const desk = await openClientResults(1);
  try {
    const args = ['client', '--command', desk.command, '--scenario', scenario, '--spec-version', version];
    const outcome = await within(runSuite(args), { what: `the suite with ${scenario}` });
    printOutcome(scenario, outcome);
    expect(outcome.scenarios.map(({ scenario: name }) => name)).toEqual([scenario]);
    expectNoFailures(outcome);
  } finally {
    await desk.close();
  }
});

// Some checks of the suite have a timeout of half a second, which a busy machine can exceed.
test('the mounted server passes the scenarios of 2025-06-18', { retry: 2 }, async () => {
  const fixture = await startFixture();
  try {
    const { specVersion, scenarios } = SERVER_SUITE;
    const args = ['server', '--url', fixture.url, '--suite', 'all', '--spec-version', specVersion];
    const outcome = await within(runSuite(args), { what: `the suite of ${specVersion}` });
    printOutcome(`server ${specVersion}`, outcome);
    expectNoFailures(outcome);
    expect(outcome.scenarios).toHaveLength(scenarios);
  } finally {
    await fixture.close();
  }
});
