import './bundled-programs.ts';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, vi } from 'vitest';
import { useDatabaseTemplate } from '../packages/storage/src/sqlite/new-database.ts';
import { ROOT } from './run.ts';
import { describeProcesses, forgetExitedProcesses } from '../testing/src/started-processes.ts';
import { runFolder } from '../testing/src/test-run.ts';

// The setup file of Vitest, evaluated before each test file.

// Half of the time in which a worker imports sources.
enableCompileCache(join(ROOT, '.cache', 'compiled-tests'));
// Workers that start later use what this file imported.
// oxlint-disable-next-line core/no-restricted-syntax -- the rule is about modules that are evaluated once per worker
afterAll(() => flushCompileCache());

const folder = runFolder();
const isOfStorage = /[\\/]packages[\\/]storage[\\/]/.test(expect.getState().testPath ?? '');
useDatabaseTemplate(folder === undefined || isOfStorage ? null : join(folder, 'empty-database.db'));

// oxlint-disable-next-line core/no-restricted-syntax -- as above
beforeEach(({ onTestFailed, onTestFinished }) => {
  // Also after Vitest's own timeout, which does not print what the test waited for.
  onTestFailed(() => {
    const processes = describeProcesses();
    if (processes !== '') process.stderr.write(`Processes of the failed test:\n${processes}\n`);
  });
  onTestFinished(forgetExitedProcesses);
});

// `unstubEnvs` runs only before the next test; hooks of another file in this worker must not see a deleted folder.
// oxlint-disable-next-line core/no-restricted-syntax -- as above
afterEach(() => {
  vi.unstubAllEnvs();
});
