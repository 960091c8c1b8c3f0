import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from './run.ts';
import type { SkippedTest } from './skips.ts';
import { formatSkips } from './skips.ts';

/** Times are milliseconds since 1970. */
type VitestReport = { testResults: TestFile[] };
type TestFile = { name: string; startTime: number; endTime: number; assertionResults: TestResult[] };
type TestResult = {
  fullName: string;
  status: string;
  meta?: Pick<SkippedTest, 'missing'>;
  failureMessages?: string[];
};

export type TestSummary = {
  passed: number;
  failed: number;
  skipped: number;
  /** Why tests were skipped, one line for each reason. */
  skips: readonly string[];
  /** File and name of each failed test, and the first line of its error. */
  failures: readonly string[];
  /** Longest first. */
  files: readonly { file: string; seconds: number }[];
};

/** Reads vitest's JSON report. */
export function summarizeTests(path: string): TestSummary {
  const report = JSON.parse(readFileSync(path, 'utf8')) as VitestReport;
  const statuses = report.testResults.flatMap((file) => file.assertionResults.map(({ status }) => status));
  const passed = statuses.filter((status) => status === 'passed').length;
  const failed = statuses.filter((status) => status === 'failed').length;
  return {
    passed,
    failed,
    skipped: statuses.length - passed - failed,
    skips: formatSkips(report.testResults.flatMap(listSkips)),
    failures: report.testResults.flatMap(listFailures),
    files: report.testResults
      .map(({ name, startTime, endTime }) => ({ file: relative(ROOT, name), seconds: (endTime - startTime) / 1000 }))
      .toSorted((one, other) => other.seconds - one.seconds),
  };
}

function listSkips({ name, assertionResults }: TestFile): SkippedTest[] {
  return assertionResults
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ meta }) => ({ file: name, missing: meta?.missing }));
}

function listFailures({ name, assertionResults }: TestFile): string[] {
  return assertionResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages = [] }) => {
      const reason = (failureMessages[0] ?? '').split('\n', 1)[0] ?? '';
      return `${relative(ROOT, name)}: ${fullName}: ${reason}`;
    });
}
