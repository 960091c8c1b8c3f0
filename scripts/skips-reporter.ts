import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { ROOT } from './run.ts';
import { formatSkips } from './skips.ts';

/** Prints why tests were skipped, except for tests excluded by filters. */
export default class SkipsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].flatMap((test) => {
        const { missing } = test.meta();
        return missing ? [{ file: relative(ROOT, module.moduleId), missing }] : [];
      }),
    );
    for (const line of formatSkips(skipped)) process.stderr.write(`${line}\n`);
  }
}
