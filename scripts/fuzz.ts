import { parseArgs } from 'node:util';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, runTool } from './run.ts';

const USAGE = `npm run test:long -- fuzz [--times N] [--seed S] [files]

Runs the tests of what holds for anything (properties), or the files named, N times (20), each time with what another
seed deals, from S on (any), and with all cases, of which npm test takes a tenth. A failure is repeated by
TOOLYARD_CASES=all TOOLYARD_SEED=<its seed> npm test -- <its file>.`;

/** Test files whose properties are in the fixtures they import. */
const INDIRECT = ['run-store', 'repositories'].flatMap((name) =>
  ['sqlite', 'postgres'].map((engine) => `packages/storage/src/${engine}/${name}.test.ts`),
);

const { values, positionals } = parseArgs({
  options: { times: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } },
  allowPositionals: true,
});

if (values.help === true) console.log(USAGE);
else process.exitCode = await fuzz(whole('times', values.times) ?? 20, whole('seed', values.seed) ?? anySeed());

async function fuzz(times: number, first: number): Promise<number> {
  const files = positionals.length > 0 ? positionals : propertyTests();
  const failed: number[] = [];
  for (let seed = first; seed < first + times; seed += 1) {
    const env = { ...process.env, TOOLYARD_SEED: String(seed), TOOLYARD_CASES: 'all' };
    const ran = await runTool('vitest/vitest.mjs', ['run', ...files], { quiet: true, env });
    console.log(`seed ${String(seed)}: ${ran.code === 0 ? 'ok' : 'FAILED'}`);
    if (ran.code === 0) continue;
    failed.push(seed);
    console.log(ran.output);
  }
  console.log(`${String(times)} seeds, failed: ${failed.join(', ') || 'none'}`);
  return failed.length === 0 ? 0 : 1;
}

function propertyTests(): string[] {
  const direct = ['packages', 'testing', 'e2e']
    .flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: ROOT, exclude: ['**/node_modules/**'] }))
    .filter((file) => /\bfc\.assert\b|\bALL_CASES\b/.test(readFileSync(join(ROOT, file), 'utf8')));
  return [...direct, ...INDIRECT];
}

function anySeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}

function whole(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  console.error(`--${name} must be a whole number (got "${text}").`);
  process.exit(2);
}
