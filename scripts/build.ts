import { chmodSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from './build-page.ts';
import { PUBLISHED } from './packages.ts';
import { ROOT, TSC, runTool } from './run.ts';

/** Builds the page, and compiles every other published package to its `dist`. */
export async function build(options: { quiet: boolean }): Promise<{ ok: boolean; output: string }> {
  for (const folder of PUBLISHED) rmSync(join(ROOT, folder, 'dist'), { recursive: true, force: true });
  const wrong = await buildPage({ log: () => {} });
  if (wrong !== null) return { ok: false, output: wrong };
  // A single process reads shared declarations once. `--force`, because the build information of an earlier build does
  // not know that the folders above were removed.
  const projects = PUBLISHED.map((folder) => join(folder, 'tsconfig.build.json'));
  const { code, output } = await runTool(TSC, ['--build', '--force', '--singleThreaded', ...projects], options);
  if (code !== 0) return { ok: false, output };
  for (const folder of PUBLISHED) {
    const bin = join(ROOT, folder, 'dist', 'bin.js');
    if (existsSync(bin)) chmodSync(bin, 0o755);
  }
  return { ok: true, output };
}

if (import.meta.main) process.exitCode = (await build({ quiet: false })).ok ? 0 : 1;
