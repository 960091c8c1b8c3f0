import './bundled-programs.ts';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { useDatabaseTemplate } from '../packages/storage/src/sqlite/new-database.ts';
import { describeProcesses, forgetExitedProcesses } from '../testing/src/started-processes.ts';
import { runFolder } from '../testing/src/test-run.ts';

// The setup file of Vitest, evaluated before each test file.

const folder = runFolder();
const isOfStorage = /[\\/]packages[\\/]storage[\\/]/.test(expect.getState().testPath ?? '');
useDatabaseTemplate(folder === undefined || isOfStorage ? null : join(folder, 'empty-database.db'));

// oxlint-disable-next-line core/no-restricted-syntax -- the rule is about modules that are evaluated once per worker
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
