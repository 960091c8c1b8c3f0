import './bundled-programs.ts';
import { afterEach, beforeEach, vi } from 'vitest';
import { describeProcesses, forgetExitedProcesses } from '../testing/src/started-processes.ts';

// The setup file of Vitest, evaluated before each test file.
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
