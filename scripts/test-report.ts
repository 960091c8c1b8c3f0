import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from './run.ts';
import type { SkipReport, Skips } from './skips.ts';
import { skipsOfReport } from './skips.ts';

/** Times are milliseconds since 1970. */
type VitestReport = SkipReport<
  { startTime: number; endTime: number },
  { fullName: string; failureMessages?: string[] }
>;

export type TestSummary = {
  passed: number;
  failed: number;
  skipped: number;
  skips: readonly Skips[];
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
    skips: skipsOfReport(report),
    failures: report.testResults.flatMap((file) => failuresOf(file)),
    files: report.testResults
      .map(({ name, startTime, endTime }) => ({ file: relative(ROOT, name), seconds: (endTime - startTime) / 1000 }))
      .toSorted((one, other) => other.seconds - one.seconds),
  };
}

function failuresOf({ name, assertionResults }: VitestReport['testResults'][number]): string[] {
  return assertionResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages = [] }) => {
      const reason = (failureMessages[0] ?? '').split('\n', 1)[0] ?? '';
      return `${relative(ROOT, name)}: ${fullName}: ${reason}`;
    });
}
