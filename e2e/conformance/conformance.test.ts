import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/**
 * The scenarios of the official suite that are about a host, by the revisions that ask for them. Those about
 * authorization join with OAuth.
 */
const SUITES = {
  '2025-11-25': [
    'initialize',
    'tools_call',
    'elicitation-sep1034-client-defaults',
    'sse-retry',
    'json-schema-2020-12-preservation',
  ],
  '2026-07-28': [
    'tools_call',
    'request-metadata',
    'sep-2322-client-request-state',
    'http-standard-headers',
    'http-custom-headers',
    'http-invalid-tool-headers',
    'json-schema-ref-no-deref',
    'json-schema-2020-12-preservation',
  ],
} as const;

const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

type Outcome = { passed: number; failed: number; skipped: number; output: string };

async function run(script: string, scenario: string, revision: string): Promise<Outcome> {
  const client = [
    process.execPath,
    '--conditions=toolyard-src',
    fileURLToPath(new URL('./client.ts', import.meta.url)),
  ].join(' ');
  const args = [script, 'client', '--command', client, '--scenario', scenario, '--spec-version', revision];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  const count = (word: string): number => output.split('\n').filter((line) => line.includes(word)).length;
  return { passed: count('SUCCESS'), failed: count('FAILURE') + count('WARNING'), skipped: count('SKIPPED'), output };
}

describe.each(Object.entries(SUITES))('the official conformance suite, %s', (revision, scenarios) => {
  test('has nothing to say against this host', { timeout: 240_000 }, async () => {
    const sum = { passed: 0, failed: 0, skipped: 0 };
    const wrong: string[] = [];
    for (const scenario of scenarios) {
      const { passed, failed, skipped, output } = await run(SUITE, scenario, revision);
      sum.passed += passed;
      sum.failed += failed;
      sum.skipped += skipped;
      if (passed === 0 || failed > 0) wrong.push(`${scenario}: ${output.slice(-4_000)}`);
    }
    process.stdout.write(
      `conformance ${revision}: ${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped\n`,
    );
    expect(wrong).toEqual([]);
  });
});
