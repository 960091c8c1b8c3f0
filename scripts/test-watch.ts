import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './run.ts';
import { selectProjects, UNIT_PROJECTS } from './test-selection.ts';

/** `npm run test:watch [-- FILE...]`: vitest in watch mode, on the unit tests or the files named. */
const filters = process.argv.slice(2);
const projects = filters.length > 0 ? selectProjects(filters) : UNIT_PROJECTS.map((name) => `--project=${name}`);
const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
// Its keys need the terminal: runTool() gives a program none.
const child = spawn(process.execPath, [vitest, 'watch', ...projects, ...filters], { cwd: ROOT, stdio: 'inherit' });
// Ctrl-C reaches both; vitest decides when it ends.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => (process.exitCode = code ?? 1));
