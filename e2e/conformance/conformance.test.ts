import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { SuiteOutcome } from './run-suite.ts';
import { runSuite, tellOutcome } from './run-suite.ts';

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

const CLIENT = [
  process.execPath,
  '--conditions=toolyard-src',
  fileURLToPath(new URL('./client.ts', import.meta.url)),
].join(' ');

describe.each(Object.entries(SUITES))('the official conformance suite, %s', (revision, scenarios) => {
  test('has nothing to say against this host', { timeout: 600_000 }, async () => {
    const version = revision === 'extensions' ? [] : ['--spec-version', revision];
    const sum: SuiteOutcome = { scenarios: 0, passed: 0, failed: [], skipped: [], output: '' };
    const wrong: unknown[] = [];
    const left = [...scenarios];
    const work = async (): Promise<void> => {
      for (let scenario = left.shift(); scenario !== undefined; scenario = left.shift()) {
        const outcome = await runSuite(['client', '--command', CLIENT, '--scenario', scenario, ...version]);
        sum.scenarios += outcome.scenarios;
        sum.passed += outcome.passed;
        sum.failed.push(...outcome.failed);
        sum.skipped.push(...outcome.skipped);
        if (outcome.passed === 0 || outcome.failed.length > 0) {
          wrong.push({ scenario, failed: outcome.failed, output: outcome.output.slice(-4_000) });
        }
      }
    };
    await Promise.all([work(), work()]);
    tellOutcome(revision, sum);
    expect(wrong).toEqual([]);
  });
});
