import { PROGRAMS_VARIABLE } from '../testing/src/processes.ts';
import { bundled, TESTED } from './programs.ts';
import { beginTestRun, testRunEnv } from './test-run.ts';

/** Global setup: creates the folder for temporary files and bundles the programs that tests start. */
export async function setup(): Promise<() => void> {
  const endRun = beginTestRun();
  Object.assign(process.env, testRunEnv());
  process.env[PROGRAMS_VARIABLE] = await bundled(TESTED);
  return endRun;
}
