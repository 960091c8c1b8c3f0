import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { systemClock } from '@toolyard/protocol';
import { openStorage } from '@toolyard/storage';
import { eventually, needs } from '@toolyard/testing';
import { describeOnDatabases, PG_DUMP, postgresProgram } from '@toolyard/testing/on-postgres';
import { ANNE } from './test-fixtures/setup.ts';
import { readOutcome, playUsers, openScenarioStage, getScenario } from './test-fixtures/corpus/stage.ts';

describeOnDatabases('a database that is restored', (cluster) => {
  test('from a pg_dump taken during runs: they resume from their last step', needs(PG_DUMP), async () => {
    const [url, restored] = [await cluster().createDatabase(), await cluster().createDatabase()];
    const storage = await openStorage({ url, clock: systemClock });
    const dump = async (): Promise<string> => {
      const program = postgresProgram('pg_dump');
      return (await promisify(execFile)(program, ['--inserts', '--no-owner', `--dbname=${url}`], { maxBuffer: 1e9 }))
        .stdout;
    };
    const scenarios = new Map([
      ['between', getScenario('side-by-side')],
      ['within', getScenario('task')],
    ]);
    let halted = 0;
    let go = (): void => {};
    const gone = new Promise<void>((resolve) => (go = resolve));
    const places = new Set(['step:tools_batch_result', 'run:task']);
    const first = openScenarioStage(storage, {
      failpoint: async (place) => {
        if (!places.delete(place)) return;
        halted++;
        await gone;
      },
    });
    await first.start();
    for (const [id, name] of [
      ['between', 'side-by-side'],
      ['within', 'task'],
    ] as const) {
      const configuration = { intervention: 'auto', model: { providerId: 'corpus', modelId: name } };
      await storage.conversations.create(ANNE, { id, title: '', configuration, at: systemClock.now() });
      const [text = ''] = getScenario(name).userMessages;
      await first.send(ANNE, id, { parts: [{ type: 'text', text }] });
    }
    await eventually(() => halted === 2, { what: 'both runs being in their middle' });
    const sql = await dump();
    go();
    await playUsers({ storage, runs: first }, scenarios);
    const expected = [await readOutcome(storage, 'between'), await readOutcome(storage, 'within')];
    await first.close();
    await storage.close();

    const psql = promisify(execFile)(postgresProgram('psql'), [
      '--quiet',
      '--set=ON_ERROR_STOP=1',
      `--dbname=${restored}`,
    ]);
    psql.child.stdin?.end(sql);
    await psql;
    const again = await openStorage({ url: restored, clock: systemClock });
    const second = openScenarioStage(again);
    try {
      expect(await again.check()).toEqual({ ok: true });
      expect((await readOutcome(again, 'between')).statuses).toEqual(['running']);
      await second.start();
      await playUsers({ storage: again, runs: second }, scenarios);
      expect([await readOutcome(again, 'between'), await readOutcome(again, 'within')]).toEqual(expected);
    } finally {
      await second.close();
      await again.close();
    }
  });
});
