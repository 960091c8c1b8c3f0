import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseJson } from '@toolyard/protocol';

const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

const checks = z.array(
  z.looseObject({
    id: z.string(),
    status: z.enum(['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO']),
    errorMessage: z.string().optional(),
  }),
);

/** One check the suite did not pass. */
type Missed = { scenario: string; check: string; reason: string };

/** A run of the suite. What it calls a warning counts as failed. */
export type SuiteOutcome = { scenarios: number; passed: number; failed: Missed[]; skipped: Missed[]; output: string };

/** Runs the official suite as anybody would, by its own command line, and reads what it found check by check. */
export async function runSuite(args: readonly string[]): Promise<SuiteOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'toolyard-conformance-'));
  try {
    const output = await runCommand([...args, '--output-dir', folder]);
    const outcome: SuiteOutcome = { scenarios: 0, passed: 0, failed: [], skipped: [], output };
    for (const path of await readdir(folder, { recursive: true })) {
      if (basename(path) !== 'checks.json') continue;
      outcome.scenarios++;
      const scenario = basename(dirname(path)).replace(/^server-(?=.)|-\d{4}-\d\d-\d\dT[\d-]+Z$/g, '');
      const read = parseJson(await readFile(join(folder, path), 'utf8'));
      for (const { id, status, errorMessage = '' } of checks.parse(read.ok ? read.value : undefined)) {
        if (status === 'SUCCESS') outcome.passed++;
        else if (status === 'SKIPPED') outcome.skipped.push({ scenario, check: id, reason: errorMessage });
        else if (status !== 'INFO') outcome.failed.push({ scenario, check: id, reason: errorMessage });
      }
    }
    return outcome;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** For whoever reads the test's output. */
export function tellOutcome(suite: string, { scenarios, passed, failed, skipped }: SuiteOutcome): void {
  process.stdout.write(
    `conformance ${suite}: ${scenarios} scenarios, ${passed} checks passed, ${failed.length} failed, ${skipped.length} skipped\n`,
  );
  for (const { scenario, check, reason } of skipped) {
    process.stdout.write(`  skipped by the suite: ${scenario}, ${check}${reason === '' ? '' : `: ${reason}`}\n`);
  }
}

async function runCommand(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [SUITE, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  return output;
}
