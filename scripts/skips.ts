/** The skipped tests of a vitest JSON report, and why they were skipped. */
import { NEED_NAMES } from '../testing/src/needs.ts';

/** Names what must not be missing: a test skipped for one of these is a failure. Separated by spaces. */
const REQUIRED_VARIABLE = 'TOOLYARD_REQUIRED';

export type Skips = {
  /** What the tests need, one of `NEED_NAMES`; null where a test does not say why it is skipped. */
  need: string | null;
  reason: string;
  tests: number;
  files: number;
};

type SkippedTest = { file: string; missing?: { need: string; reason: string } | undefined };

type TestResult = { status: string; meta?: Pick<SkippedTest, 'missing'> };

/** What is used of vitest's JSON report; `File` and `Test` are what the caller uses of a file and of a test. */
export type SkipReport<File = unknown, Test = unknown> = {
  testResults: ({ name: string; assertionResults: (TestResult & Test)[] } & File)[];
};

/** Of a report vitest has written with `--reporter=json`. */
export function skipsOfReport(report: SkipReport): Skips[] {
  return groupSkips(
    report.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status !== 'passed' && status !== 'failed')
        .map(({ meta }) => ({ file: name, missing: meta?.missing })),
    ),
  );
}

/** One entry a reason, that of most tests first. */
export function groupSkips(tests: readonly SkippedTest[]): Skips[] {
  const groups = Map.groupBy(tests, ({ missing }) => (missing ? `${missing.need}: ${missing.reason}` : ''));
  return [...groups.values()]
    .map((group) => ({
      need: group[0]?.missing?.need ?? null,
      reason: group[0]?.missing?.reason ?? 'no reason given: use needs() of @toolyard/testing',
      tests: group.length,
      files: new Set(group.map(({ file }) => file)).size,
    }))
    .sort((one, other) => other.tests - one.tests);
}

/** One line each. */
export function formatSkips(skips: readonly Skips[]): string[] {
  return skips.map(
    ({ need, reason, tests, files }) =>
      `skipped: ${count(tests, 'test')} in ${count(files, 'file')} (${need ?? 'unknown'}): ${reason}`,
  );
}

/** The skips that fail a full run: tests that give no reason, and those `TOOLYARD_REQUIRED` does not accept. */
export function unacceptedSkips(skips: readonly Skips[], required = process.env[REQUIRED_VARIABLE] ?? ''): string[] {
  const names = required.split(/[\s,]+/).filter(Boolean);
  const unknown = names.filter((name) => !NEED_NAMES.some((known) => known === name));
  return [
    ...unknown.map((name) => `${REQUIRED_VARIABLE} names "${name}"; known are ${NEED_NAMES.join(', ')}`),
    ...formatSkips(skips.filter(({ need }) => need === null || names.includes(need))).map(
      (line) => `not accepted: ${line}`,
    ),
  ];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
