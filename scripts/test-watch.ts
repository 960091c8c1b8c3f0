import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { affectedTests, existing, MOST_TESTS } from './affected-tests.ts';
import { checkImports } from './import-graph.ts';
import { ROOT } from './run.ts';
import { selectProjects } from './test-selection.ts';

/**
 * `npm run test:watch [-- FILE...]`: runs tests again after every change. With files, these, in the watch mode of vitest;
 * without, the unit tests nearest to the change, like `npm run check`. Vitest's watch mode would first run every test to
 * learn its imports.
 */
const WATCHED = ['packages', 'servers', 'testing', 'scripts'];
const SOURCE = /\.(ts|svelte|json)$/;
const GENERATED = /(^|\/)(node_modules|dist|build|\.svelte-kit)\//;
/** Debounce: editors write files several times, and save many at once. */
const SETTLE_MS = 200;

const filters = process.argv.slice(2);
const changed = new Set<string>();
let running: ChildProcess | null = null;
let timer: NodeJS.Timeout | undefined;

process.on('SIGINT', () => end(130));
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(143));
if (filters.length > 0) vitest(['watch', ...filters], (code) => (process.exitCode = code));
else watchSources();

function watchSources(): void {
  for (const folder of WATCHED) {
    watch(join(ROOT, folder), { recursive: true }, (_event, name) => {
      const file = `${folder}/${(name ?? '').replaceAll('\\', '/')}`;
      if (!SOURCE.test(file) || GENERATED.test(file)) return;
      changed.add(file);
      clearTimeout(timer);
      timer = setTimeout(() => void runNearest(), SETTLE_MS);
    });
  }
  console.log('Waiting for changes. Press Ctrl-C to stop.');
}

/** A change during a run restarts it. */
async function runNearest(): Promise<void> {
  running?.kill();
  const files = [...changed];
  const { importers } = checkImports();
  if (changed.size > files.length) return;
  const unit = existing(affectedTests(files, importers).unit);
  const chosen = unit.slice(0, MOST_TESTS);
  console.log(`\nChanged: ${files.join(', ')}. Unit tests: ${String(chosen.length)} of ${String(unit.length)} files.`);
  if (chosen.length === 0) return changed.clear();
  vitest(['run', ...chosen], () => {
    for (const file of files) changed.delete(file);
    console.log('Waiting for changes. Press Ctrl-C to stop.');
  });
}

/** Calls `onexit` unless it was stopped. */
function vitest([mode = 'run', ...files]: readonly string[], onexit: (code: number) => void): void {
  const program = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [program, mode, ...selectProjects(files), ...files];
  // Vitest's keyboard shortcuts need the terminal.
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  running = child;
  child.on('exit', (code) => {
    if (running === child) running = null;
    if (!child.killed) onexit(code ?? 1);
  });
}

function end(code: number): void {
  running?.kill();
  process.exit(code);
}
