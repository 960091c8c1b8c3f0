import { tmpdir } from 'node:os';
import { dirname } from 'node:path';

/**
 * Names the folder of the current test run, which is `TMPDIR` of its tests, see `scripts/test-run.ts`. Programs that
 * tests start carry it in their environment: it tells the next run which processes a killed run left behind.
 */
export const RUN_VARIABLE = 'TOOLYARD_TEST_RUN';

/** The folder of the current test run; undefined outside of one. */
export function runFolder(): string | undefined {
  return process.env[RUN_VARIABLE];
}

/** The temporary folder of the machine, for what one test run leaves to the next. */
export function sharedTmp(): string {
  const folder = runFolder();
  return folder === undefined ? tmpdir() : dirname(folder);
}
