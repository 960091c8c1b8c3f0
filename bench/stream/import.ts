import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench } from '../harness/bench.ts';
import type { Figure } from '../harness/figure.ts';
import { sampled } from '../harness/figure.ts';
import { median } from '../harness/quantile.ts';

const PACKAGES = fileURLToPath(new URL('../../packages/', import.meta.url));
const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const SCRIPT = `const at = performance.now(); const cpu = process.cpuUsage();
await import('@toolyard/model-runtime');
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ wallMs: performance.now() - at, cpuMs: (user + system) / 1000 }));`;

/** Cost of importing the package in a new process, as published, without types. */
export function measureImport({ options }: Bench): Figure[] {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-bench-'));
  try {
    for (const name of ['protocol', 'model-runtime']) publish(name, folder);
    cpSync(join(MODULES, 'eventsource-parser'), join(folder, 'node_modules/eventsource-parser'), { recursive: true });
    const file = join(folder, 'import.mjs');
    writeFileSync(file, SCRIPT);
    const samples = Array.from({ length: (options.quick ? 9 : 27) + 1 }, () => importOnce(file)).slice(1);
    const walls = samples.map(({ wallMs }) => wallMs);
    const of = { cpuMs: median(samples.map(({ cpuMs }) => cpuMs)) };
    return [sampled('importing the package in a new process', walls, 'ms', { atMost: 50, of })];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function importOnce(file: string): { wallMs: number; cpuMs: number } {
  const { stdout, status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`cannot import the package: ${stderr}`);
  return JSON.parse(stdout) as { wallMs: number; cpuMs: number };
}

/** A package without types, in a node_modules folder. */
function publish(name: string, folder: string): void {
  const source = join(PACKAGES, name, 'src');
  const target = join(folder, 'node_modules/@toolyard', name);
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts') || file.includes('test-fixtures')) continue;
    if (!statSync(join(source, file)).isFile()) continue;
    const code = stripTypeScriptTypes(readFileSync(join(source, file), 'utf8'));
    const out = join(target, 'dist', file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, code.replaceAll(/((?:from|import\()\s*')(\.[^']*)\.ts'/g, "$1$2.js'"));
  }
  cpSync(join(PACKAGES, name, 'package.json'), join(target, 'package.json'));
}
