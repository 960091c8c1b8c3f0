import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLUSTER_VARIABLE } from '../testing/src/postgres.ts';
import { PROGRAMS_VARIABLE } from '../testing/src/processes.ts';
import { bundled, TESTED } from './programs.ts';

/** Before the first test that starts programs: they are bundled once, as a person's are. */
export async function setup(): Promise<() => void> {
  process.env[PROGRAMS_VARIABLE] = await bundled(TESTED);
  process.env[CLUSTER_VARIABLE] ??= mkdtempSync(join(tmpdir(), 'toolyard-new-cluster-'));
  const folder = process.env[CLUSTER_VARIABLE];
  return () => {
    rmSync(folder, { recursive: true, force: true });
  };
}
