import { expect, it } from 'vitest';
import { TEST_SEED } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { endure } from './endurance/endurance.ts';
import { summaryOf } from './endurance/summary.ts';

/** Beside other tests a machine takes its time; what is promised is measured by `npm run endure`. */
const TAKE_OVER_MS = 60_000;
/** Long enough for every kind of blow; with what is then under way it is a minute. Ten are `npm run endure`. */
const FOR_MS = 35_000;

describeOnPostgres('several servers over one database, for a minute', (cluster) => {
  it(
    `killed, stopped, cut off, the database restarted (TOOLYARD_SEED=${String(TEST_SEED)}): nothing lost, nothing twice`,
    { timeout: 900_000 },
    async () => {
      const said: string[] = [];
      const log = (line: string): void => void said.push(line);
      const endured = await endure({
        cluster: cluster(),
        seed: TEST_SEED,
        forMs: FOR_MS,
        people: 4,
        takeOverMs: TAKE_OVER_MS,
        log,
      });
      process.stdout.write(`endurance: TOOLYARD_SEED=${String(TEST_SEED)}: ${summaryOf(endured)}\n`);
      if (endured.problems.length > 0) process.stdout.write(`${said.join('\n')}\n`);
      expect(endured.problems).toEqual([]);
      expect(endured.runs).toBeGreaterThan(0);
      expect(endured.heard).toBeGreaterThan(0);
    },
  );
});
