import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseJson } from '@toolyard/protocol';
import { COMPILED_ONCE, registerProcess, within } from '@toolyard/testing';

const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

const checks = z.array(
  z.looseObject({
    id: z.string(),
    status: z.enum(['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO']),
    errorMessage: z.string().optional(),
  }),
);

/** A failed check. */
type Missed = { check: string; reason: string };

/** Results of a scenario and output of its client. Warnings count as failures. */
type ScenarioOutcome = { scenario: string; passed: number; failed: Missed[]; skipped: Missed[]; said: string };

/** Timeout for all scenarios of a revision; the suite has a timeout per scenario. */
const SUITE_TIMEOUT_MS = 600_000;

/** Results and output of the suite. */
export type SuiteOutcome = { scenarios: ScenarioOutcome[]; output: string };

/** Runs the CLI of the official suite, and reads the results of its checks. */
export async function runSuite(args: readonly string[]): Promise<SuiteOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'toolyard-conformance-'));
  try {
    const output = await runCommand([...args, '--output-dir', folder]);
    const paths = await readdir(folder, { recursive: true });
    const found = paths.map(dirname).filter((path, at) => paths[at] === join(path, 'checks.json'));
    return { scenarios: await Promise.all(found.map((path) => readOutcome(folder, path))), output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The scenario of a result folder, whose name contains scenario, kind and time. */
async function readOutcome(folder: string, path: string): Promise<ScenarioOutcome> {
  const scenario = path.replaceAll('\\', '/').replace(/^server-(?=.)|-\d{4}-\d\d-\d\dT[\d-]+Z$/g, '');
  const said = await readFile(join(folder, path, 'stderr.txt'), 'utf8').catch(() => '');
  const outcome: ScenarioOutcome = { scenario, passed: 0, failed: [], skipped: [], said };
  const read = parseJson(await readFile(join(folder, path, 'checks.json'), 'utf8'));
  for (const { id, status, errorMessage = '' } of checks.parse(read.ok ? read.value : undefined)) {
    if (status === 'SUCCESS') outcome.passed++;
    else if (status === 'SKIPPED') outcome.skipped.push({ check: id, reason: errorMessage });
    else if (status !== 'INFO') outcome.failed.push({ check: id, reason: errorMessage });
  }
  return outcome;
}

/** A summary for the test output. */
export function printOutcome(suite: string, { scenarios }: SuiteOutcome): void {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const { passed, failed, skipped } of scenarios) {
    sum.passed += passed;
    sum.failed += failed.length;
    sum.skipped += skipped.length;
  }
  process.stdout.write(
    `conformance ${suite}: ${scenarios.length} scenarios, ${sum.passed} checks passed, ${sum.failed} failed, ${sum.skipped} skipped\n`,
  );
  for (const { scenario, skipped } of scenarios) {
    for (const { check, reason } of skipped) {
      process.stdout.write(`  skipped by the suite: ${scenario}, ${check}${reason === '' ? '' : `: ${reason}`}\n`);
    }
  }
}

async function runCommand(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [SUITE, ...args], {
    env: { ...COMPILED_ONCE, ...process.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (chunk: Buffer) => (output += chunk.toString()));
  registerProcess(child, 'conformance suite');
  const closed = new Promise((resolve) => child.once('close', resolve));
  await within(closed, { what: `the suite with ${args.join(' ')}`, timeoutMs: SUITE_TIMEOUT_MS });
  return output;
}
