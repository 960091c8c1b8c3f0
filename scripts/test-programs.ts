import { PROGRAMS_VARIABLE } from '../testing/src/processes.ts';
import { bundled, TESTED } from './programs.ts';

/** Before the first test that starts programs: they are bundled once, as a person's are. */
export async function setup(): Promise<void> {
  process.env[PROGRAMS_VARIABLE] = await bundled(TESTED);
}
