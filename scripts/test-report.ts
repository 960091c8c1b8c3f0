import { readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { readTestFileCosts } from './cost/by-file.ts';
import { ROOT } from './run.ts';
import type { SkipReport, Skips } from './skips.ts';
import { skipsOfReport } from './skips.ts';
import type { TestKind } from './test-kinds.ts';
import { kindOf, TEST_KINDS } from './test-kinds.ts';

/** Times are milliseconds since 1970. */
type VitestReport = SkipReport<
  { startTime: number; endTime: number },
  { fullName: string; failureMessages?: string[] }
>;

/** `cpuSeconds`: 0 if unknown. */
type TestFile = { file: string; kind: TestKind; seconds: number; cpuSeconds: number; tests: number };

export type TestSummary = {
  passed: number;
  failed: number;
  skipped: number;
  skips: readonly Skips[];
  /** File and name of each failed test, and the first line of its error. */
  failures: readonly string[];
  /** Longest first. */
  files: readonly TestFile[];
};

/** Reads vitest's JSON report, and the costs that the test files stored. */
export function summarizeTests(path: string, costs: string): TestSummary {
  const report = JSON.parse(readFileSync(path, 'utf8')) as VitestReport;
  const statuses = report.testResults.flatMap((file) => file.assertionResults.map(({ status }) => status));
  const passed = statuses.filter((status) => status === 'passed').length;
  const failed = statuses.filter((status) => status === 'failed').length;
  const cpuSeconds = readTestFileCosts(costs);
  const files = report.testResults.map(({ name, startTime, endTime, assertionResults }) => {
    const file = relative(ROOT, name).split(sep).join('/');
    return {
      file,
      kind: kindOf(file),
      seconds: (endTime - startTime) / 1000,
      cpuSeconds: cpuSeconds.get(name) ?? 0,
      tests: assertionResults.length,
    };
  });
  return {
    passed,
    failed,
    skipped: statuses.length - passed - failed,
    skips: skipsOfReport(report),
    failures: report.testResults.flatMap((file) => failuresOf(file)),
    files: files.toSorted((one, other) => other.seconds - one.seconds),
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

/** Table of worker seconds, CPU seconds, tests and files by kind. */
export function costByKind({ files }: TestSummary): string[] {
  const rows = TEST_KINDS.map((kind) => {
    const ofKind = files.filter((file) => file.kind === kind);
    return [
      kind,
      sum(ofKind.map(({ seconds }) => seconds)).toFixed(0),
      sum(ofKind.map(({ cpuSeconds }) => cpuSeconds)).toFixed(0),
      String(sum(ofKind.map(({ tests }) => tests))),
      String(ofKind.length),
    ];
  });
  return [['kind', 'worker seconds', 'CPU seconds', 'tests', 'files'], ...rows].map(([kind = '', ...numbers]) =>
    [kind.padEnd(10), ...numbers.map((number) => number.padStart(15))].join(''),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
