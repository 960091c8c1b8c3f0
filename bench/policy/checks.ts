import type { ToolPolicyFacts } from '@toolyard/agent-runtime';
import { InterventionChecker } from '@toolyard/agent-runtime';
import type { InterventionRule, JsonObject } from '@toolyard/protocol';
import type { Figure } from '../harness/figure.ts';
import { sampled } from '../harness/figure.ts';

/** Typical calls, and one over the budget. `atMost`: target per check in µs. */
const CALLS: Readonly<Record<string, { tool: string; args: JsonObject; atMost: number }>> = {
  'a short command': {
    tool: 'run',
    args: { command: 'npm test 2>&1 | tail -n 40', description: 'Runs the tests' },
    atMost: 300,
  },
  'a long command': {
    tool: 'run',
    args: {
      command:
        'cd /srv/app && git pull --rebase && npm ci && npm run build > build.log 2>&1 && for f in dist/*.js; do gzip -k "$f"; done; ' +
        'grep -rn "TODO" src | sort | uniq -c | head -n 20 && tar -czf /tmp/release.tgz dist && scp /tmp/release.tgz deploy:/srv/releases/',
    },
    atMost: 300,
  },
  'a command over the budget, 100 kB': { tool: 'run', args: { command: 'cd a;'.repeat(20_000) }, atMost: 1_000 },
  'a file to write, 2 kB': {
    tool: 'write_file',
    args: {
      path: '/srv/app/src/index.ts',
      content: 'export const answer = (x: number): number => x * 42;\n'.repeat(38),
    },
    atMost: 20,
  },
  'a text of 2 kB under an unknown name': {
    tool: 'remember',
    args: { fact: 'The tide in June is high at noon, and the moon is full; see (notes) of 2024. '.repeat(26) },
    atMost: 20,
  },
  '3,000 fields': {
    tool: 'import_rows',
    args: Object.fromEntries(Array.from({ length: 3_000 }, (_each, at) => [`row${at}`, `value ${at} of the table`])),
    atMost: 7_500,
  },
  'a search, seven fields': {
    tool: 'search',
    args: {
      query: 'tides in June',
      limit: 10,
      site: 'example.com',
      language: 'en',
      safe: true,
      from: null,
      tags: ['sea', 'moon'],
    },
    atMost: 20,
  },
};

/** One rule of each kind. */
export const FOUR_RULES: readonly InterventionRule[] = [
  { decision: 'allow', tool: 'desk/*', command: 'npm *' },
  { decision: 'never', command: 'git push*' },
  { decision: 'ask', outside: '/srv/app' },
  { decision: 'never', argument: '*secret*' },
];

const KNOWN: ToolPolicyFacts = { builtIn: false, readOnly: false };

/** Cost of one check: medians over rounds. */
export function measurePolicy(rules: readonly InterventionRule[], quick: boolean): Figure[] {
  return Object.entries(CALLS).map(([name, { tool, args, atMost }]) => {
    const checker = new InterventionChecker({ mode: 'auto', rules, permission: () => undefined, lookUp: () => KNOWN });
    const check = (): unknown => checker.check({ serverId: 'desk', name: tool }, args);
    return sampled(name, rounds(check, quick), 'µs', { atMost });
  });
}

/** CPU time, which excludes other load. */
function rounds(check: () => unknown, quick: boolean): number[] {
  const from = performance.now();
  for (let at = 0; at < 50; at++) check();
  const most = quick ? 500 : 4_000;
  // Slow checks are repeated less often, for about the same duration.
  const count = Math.max(10, Math.min(most, Math.round((most * 0.02) / ((performance.now() - from) / 50))));
  for (let at = 0; at < 3 * count; at++) check();
  return Array.from({ length: quick ? 9 : 25 }, () => {
    const from = process.cpuUsage();
    for (let at = 0; at < count; at++) check();
    const { user, system } = process.cpuUsage(from);
    return (user + system) / count;
  });
}
