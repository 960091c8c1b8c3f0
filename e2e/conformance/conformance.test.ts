import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** Of every revision from 2025-11-25 on. */
const SIGN_IN = [
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/pre-registration',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
] as const;

/**
 * The scenarios of the official suite that are about a host, by the revisions that ask for them. Extensions belong to
 * no revision.
 */
const SUITES = {
  '2025-03-26': ['auth/2025-03-26-oauth-metadata-backcompat', 'auth/2025-03-26-oauth-endpoint-fallback'],
  '2025-11-25': [
    'initialize',
    'tools_call',
    'elicitation-sep1034-client-defaults',
    'sse-retry',
    'json-schema-2020-12-preservation',
    ...SIGN_IN,
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
    ...SIGN_IN,
    'auth/resource-mismatch',
    'auth/offline-access-scope',
    'auth/offline-access-not-supported',
    'auth/authorization-server-migration',
    'auth/iss-supported',
    'auth/iss-not-advertised',
    'auth/iss-supported-missing',
    'auth/iss-wrong-issuer',
    'auth/iss-unexpected',
    'auth/iss-normalized',
    'auth/metadata-issuer-mismatch',
  ],
  extensions: [
    'auth/client-credentials-jwt',
    'auth/client-credentials-basic',
    'auth/enterprise-managed-authorization',
    'auth/dpop',
    'auth/dpop-nonce',
    'auth/wif-jwt-bearer',
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
  const version = revision === 'extensions' ? [] : ['--spec-version', revision];
  const args = [script, 'client', '--command', client, '--scenario', scenario, ...version];
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
    const left = [...scenarios];
    const work = async (): Promise<void> => {
      for (let scenario = left.shift(); scenario !== undefined; scenario = left.shift()) {
        const { passed, failed, skipped, output } = await run(SUITE, scenario, revision);
        sum.passed += passed;
        sum.failed += failed;
        sum.skipped += skipped;
        if (passed === 0 || failed > 0) wrong.push(`${scenario}: ${output.slice(-4_000)}`);
      }
    };
    await Promise.all([work(), work()]);
    process.stdout.write(
      `conformance ${revision}: ${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped\n`,
    );
    expect(wrong).toEqual([]);
  });
});
