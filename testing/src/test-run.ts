import { tmpdir } from 'node:os';

/**
 * Names the folder of the current test run, which is `TMPDIR` of its tests, see `scripts/test-run.ts`. Processes
 * started by tests inherit it, so that the next run finds those a killed run left behind.
 */
export const RUN_VARIABLE = 'TOOLYARD_TEST_RUN';

/** The temporary folder of the machine: `TMPDIR` names that of the run, which may be on tmpfs. */
export const MACHINE_TMP_VARIABLE = 'TOOLYARD_TEST_MACHINE_TMP';

/** The folder of the current test run; undefined outside of one. */
export function runFolder(): string | undefined {
  return process.env[RUN_VARIABLE];
}

/** The temporary folder of the machine, on disk: for data kept between test runs, and for sandboxes. */
export function sharedTmp(): string {
  return process.env[MACHINE_TMP_VARIABLE] ?? tmpdir();
}
