/** The skipped tests of a vitest JSON report, and why they were skipped. */
import { NEED_NAMES } from '../testing/src/needs.ts';

/** Space-separated needs; a test skipped for one of these fails the run. */
const REQUIRED_VARIABLE = 'TOOLYARD_REQUIRED';

export type Skips = {
  /** The missing need, one of `NEED_NAMES`; null for a test without a reason. */
  need: string | null;
  reason: string;
  tests: number;
  files: number;
};

type SkippedTest = { file: string; missing?: { need: string; reason: string } | undefined };

type TestResult = { status: string; meta?: Pick<SkippedTest, 'missing'> };

/** Fields of Vitest's JSON report that are read here; `File` and `Test` are those that the caller reads. */
export type SkipReport<File = unknown, Test = unknown> = {
  testResults: ({ name: string; assertionResults: (TestResult & Test)[] } & File)[];
};

/** Skipped tests of a report of `vitest --reporter=json`. */
export function skipsOfReport(report: SkipReport): Skips[] {
  return groupSkips(
    report.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status !== 'passed' && status !== 'failed')
        .map(({ meta }) => ({ file: name, missing: meta?.missing })),
    ),
  );
}

/** One entry per reason, most tests first. */
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

/** Skips that fail a full run: without a reason, or of a need in `TOOLYARD_REQUIRED`. */
export function unacceptedSkips(skips: readonly Skips[], required = process.env[REQUIRED_VARIABLE] ?? ''): string[] {
  const names = required.split(/[\s,]+/).filter(Boolean);
  const unknown = names.filter((name) => !NEED_NAMES.some((known) => known === name));
  return [
    ...unknown.map((name) => `${REQUIRED_VARIABLE}: unknown need "${name}". Use ${NEED_NAMES.join(', ')}.`),
    ...formatSkips(skips.filter(({ need }) => need === null || names.includes(need))).map(
      (line) => `not accepted: ${line}`,
    ),
  ];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
