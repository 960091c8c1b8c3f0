import { PROGRAMS_VARIABLE } from '../testing/src/processes.ts';
import { bundled, TESTED } from './programs.ts';
import { beginTestRun, testRunEnv } from './test-run.ts';

/** Before the first test: the folder for temporary files, and the programs that tests start, bundled as users get them. */
export async function setup(): Promise<() => void> {
  const endRun = beginTestRun();
  Object.assign(process.env, testRunEnv());
  process.env[PROGRAMS_VARIABLE] = await bundled(TESTED);
  return endRun;
}
