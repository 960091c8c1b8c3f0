import { afterEach, beforeEach, vi } from 'vitest';
import { describeProcesses, forgetExitedProcesses } from '../testing/src/started-processes.ts';

// The setup file of vitest: evaluated anew before each file of tests.
// oxlint-disable-next-line core/no-restricted-syntax -- the rule is about modules that are evaluated once per worker
beforeEach(({ onTestFailed, onTestFinished }) => {
  // Also after vitest's own timeout, where no wait of the test has told what it waited for.
  onTestFailed(() => {
    const processes = describeProcesses();
    if (processes !== '') process.stderr.write(`Processes of the failed test:\n${processes}\n`);
  });
  onTestFinished(forgetExitedProcesses);
});

// `unstubEnvs` does so before the next test only: hooks of another file in this worker must not see a folder that is gone.
// oxlint-disable-next-line core/no-restricted-syntax -- as above
afterEach(() => {
  vi.unstubAllEnvs();
});
