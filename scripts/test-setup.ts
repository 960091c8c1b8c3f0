import { beforeEach } from 'vitest';
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
