import { chmodSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from './build-page.ts';
import { PUBLISHED } from './packages.ts';
import { ROOT, TSC, runTool } from './run.ts';

/** Builds the page, and compiles every other published package to its `dist`; true if all went well. */
export async function build(options: { quiet: boolean }): Promise<{ ok: boolean; output: string }> {
  for (const folder of PUBLISHED) rmSync(join(ROOT, folder, 'dist'), { recursive: true, force: true });
  let output = (await buildPage({ tell: () => {} })) ?? '';
  if (output !== '') return { ok: false, output };
  for (const folder of PUBLISHED) {
    const ran = await runTool(TSC, ['-p', join(folder, 'tsconfig.build.json'), '--checkers', '1'], options);
    output += ran.output;
    if (ran.code !== 0) return { ok: false, output };
    const bin = join(ROOT, folder, 'dist', 'bin.js');
    if (existsSync(bin)) chmodSync(bin, 0o755);
  }
  return { ok: true, output };
}

if (import.meta.main) process.exitCode = (await build({ quiet: false })).ok ? 0 : 1;
