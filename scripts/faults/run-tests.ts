import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ROOT } from '../run.ts';
import type { Fault } from './list.ts';

/** `caught`: a test failed. `missed`: all tests passed. `invalid`: the tests could not run. */
export type Outcome =
  | { outcome: 'caught'; by: string; how: string }
  | { outcome: 'missed' }
  | { outcome: 'invalid'; reason: string };

type Report = {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] | null }[];
  }[];
};

const FOLDER = join(ROOT, '.cache', 'faults');
const REPORT = join(FOLDER, 'report.json');
/** A fault can make a test wait forever. */
const TEST_TIMEOUT_MS = 120_000;

let running: ChildProcess | null = null;

/** Stops running tests. */
export function stopTests(): void {
  running?.kill('SIGTERM');
}

/** Runs the tests of a fault until the first failure. */
export async function runTests({ tests, title }: Fault): Promise<Outcome> {
  mkdirSync(FOLDER, { recursive: true });
  rmSync(REPORT, { force: true });
  const args = [
    'run',
    ...tests,
    ...(title === undefined ? [] : ['--testNamePattern', title.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')]),
    '--bail=1',
    '--retry=0',
    `--testTimeout=${TEST_TIMEOUT_MS}`,
    '--reporter=json',
    `--outputFile=${REPORT}`,
  ];
  const output = await vitest(args);
  const report = readReport();
  return report === null ? { outcome: 'invalid', reason: `vitest did not run: ${output.trim()}` } : judge(report);
}

function judge({ testResults }: Report): Outcome {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = all.find(({ status }) => status === 'failed');
  if (failed !== undefined) {
    const [how = ''] = stripVTControlCharacters(failed.failureMessages?.[0] ?? '').split('\n');
    return { outcome: 'caught', by: failed.fullName, how };
  }
  const broken = testResults.find(({ status }) => status === 'failed');
  if (broken !== undefined) {
    const reason = `${relative(ROOT, broken.name)} failed outside of its tests: ${broken.message.trim()}`;
    return { outcome: 'invalid', reason };
  }
  if (all.some(({ status }) => status === 'passed')) return { outcome: 'missed' };
  return { outcome: 'invalid', reason: all.length === 0 ? 'no test ran' : 'all tests were skipped' };
}

function readReport(): Report | null {
  try {
    return JSON.parse(readFileSync(REPORT, 'utf8')) as Report;
  } catch {
    return null;
  }
}

/** Returns the output. */
function vitest(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...args], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running = child;
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.on('error', reject);
    child.on('close', () => {
      running = null;
      resolve(output);
    });
  });
}
