import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runSuite, tellOutcome } from './run-suite.ts';

const CLIENT = [
  process.execPath,
  '--conditions=toolyard-src',
  fileURLToPath(new URL('./skills-client.ts', import.meta.url)),
].join(' ');

test.each(['no-prefetch', 'verify-digest', 'verify-size', 'verify-frontmatter'])(
  'skills, %s: the official suite has nothing to say against this host',
  async (name) => {
    const scenario = `sep-2640-client-${name}`;
    const outcome = await runSuite(['client', '--command', CLIENT, '--scenario', scenario]);
    tellOutcome(scenario, outcome);
    expect(outcome).toMatchObject({ scenarios: 1, failed: [], skipped: [] });
    expect(outcome.passed).toBeGreaterThan(0);
  },
);
