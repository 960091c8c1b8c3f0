import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT, runTool } from './run.ts';

const USAGE = `npm run test:long -- fuzz [--times N] [--seed S] [files]

Runs the property tests, or the files named, N times (20), each time with what another seed deals, from S on (any), and
with all cases, of which npm test takes a tenth. A failure is repeated by
TOOLYARD_CASES=all TOOLYARD_SEED=<its seed> npm test -- <its file>.`;

/** Their properties are in the fixtures they import. */
const INDIRECT = 'packages/storage/src/{sqlite,postgres}/{run-store,repositories}.test.ts';

const { values, positionals } = parseArgs({
  options: { times: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } },
  allowPositionals: true,
});

if (values.help === true) console.log(USAGE);
else
  process.exitCode = await fuzz(
    whole('times', values.times ?? '20'),
    whole('seed', values.seed ?? String(Date.now() % 2 ** 31)),
  );

async function fuzz(times: number, first: number): Promise<number> {
  const files = positionals.length > 0 ? positionals : propertyTests();
  const failed: number[] = [];
  for (let seed = first; seed < first + times; seed += 1) {
    const env = { ...process.env, TOOLYARD_SEED: String(seed), TOOLYARD_CASES: 'all' };
    const ran = await runTool('vitest/vitest.mjs', ['run', ...files], { quiet: true, env });
    console.log(`seed ${String(seed)}: ${ran.code === 0 ? 'ok' : `FAILED\n${ran.output}`}`);
    if (ran.code !== 0) failed.push(seed);
  }
  console.log(`${String(times)} seeds, failed: ${failed.join(', ') || 'none'}`);
  return failed.length === 0 ? 0 : 1;
}

function propertyTests(): string[] {
  const all = globSync('{packages,testing,e2e}/**/*.test.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] });
  const direct = all.filter((file) => /\bfc\.assert\b|\bALL_CASES\b/.test(readFileSync(join(ROOT, file), 'utf8')));
  return [...direct, ...globSync(INDIRECT, { cwd: ROOT })];
}

function whole(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  console.error(`--${name} must be a whole number (got "${text}").`);
  process.exit(2);
}
