import { beforeAll, describe, expect, test } from 'vitest';
import { openClientResults } from './client-results.ts';
import type { SuiteOutcome } from './run-suite.ts';
import { runSuite, printOutcome } from './run-suite.ts';

/** In every revision since 2025-11-25. */
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

/** In no suite; each is started by name. */
const SKILLS = ['no-prefetch', 'verify-digest', 'verify-size', 'verify-frontmatter'].map(
  (name) => `sep-2640-client-${name}`,
);

type Suite = [name: string, args: string[], scenarios: readonly string[]];

/**
 * The host scenarios of the official suite, by the arguments that run them, so that a removed scenario is noticed.
 * Extensions belong to no revision.
 */
const SUITES: Suite[] = [
  [
    '2025-03-26',
    ['--suite', 'all', '--spec-version', '2025-03-26'],
    ['auth/2025-03-26-oauth-metadata-backcompat', 'auth/2025-03-26-oauth-endpoint-fallback'],
  ],
  [
    '2025-11-25',
    ['--suite', 'all', '--spec-version', '2025-11-25'],
    [
      'initialize',
      'tools_call',
      'elicitation-sep1034-client-defaults',
      'sse-retry',
      'json-schema-2020-12-preservation',
      ...SIGN_IN,
    ],
  ],
  [
    '2026-07-28',
    ['--suite', 'all', '--spec-version', '2026-07-28'],
    [
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
  ],
  [
    'extensions',
    ['--suite', 'extensions'],
    [
      'auth/client-credentials-jwt',
      'auth/client-credentials-basic',
      'auth/enterprise-managed-authorization',
      'auth/dpop',
      'auth/dpop-nonce',
      'auth/wif-jwt-bearer',
    ],
  ],
  ...SKILLS.map((name): Suite => [name, ['--scenario', name], [name]]),
];

/** The suite's timeout for a client; it starts those of a revision at once. */
const SCENARIO_TIMEOUT_MS = '200000';

describe.each(SUITES)('the official conformance suite, %s', (name, args, scenarios) => {
  let found: SuiteOutcome;

  beforeAll(async () => {
    const desk = await openClientResults(scenarios.length);
    found = await runSuite(['client', '--command', desk.command, '--timeout', SCENARIO_TIMEOUT_MS, ...args]);
    await desk.close();
    printOutcome(name, found);
  });

  test('runs exactly the expected scenarios', () => {
    const asked = found.scenarios.map(({ scenario }) => scenario);
    expect(asked.sort(), found.output.slice(-4_000)).toEqual([...scenarios].sort());
  });

  test.each(scenarios)('%s passes', (name) => {
    const outcome = found.scenarios.find(({ scenario }) => scenario === name);
    expect(outcome?.failed, outcome?.said).toEqual([]);
    expect(outcome?.passed, outcome?.said).toBeGreaterThan(0);
  });
});
