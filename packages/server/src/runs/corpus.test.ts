import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '@toolyard/protocol';
import { openStorage } from '@toolyard/storage';
import { eventually } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { ANNE } from './test-fixtures/setup.ts';
import { recordedSettings, readShape, versions } from './test-fixtures/corpus/corpus.ts';
import type { Rows } from './test-fixtures/corpus/recording.ts';
import { writeRows } from './test-fixtures/corpus/recording.ts';
import { readEvents, expectReplayed, replayCases } from './test-fixtures/corpus/replay.ts';
import { currentShape, settingLines } from './test-fixtures/corpus/shape.ts';
import { openScenarioStage } from './test-fixtures/corpus/stage.ts';

const LATEST = versions().at(-1) ?? '';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-corpus-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('runs stored by an earlier version', () => {
  test.each(versions())('%s: are read; those in progress are resumed and end as recorded', async (version) => {
    await expectReplayed(replayCases(version));
  });

  test('are recorded in the format this version stores', () => {
    expect(
      currentShape(),
      'What is stored of a run has changed: record it, as docs/decisions/durable-runs.md says',
    ).toBe(readShape(LATEST));
  });

  test('every stored setting still has the same kind and options', () => {
    expect(settingLines()).toEqual(expect.arrayContaining(recordedSettings()));
  });

  test('a run of a newer version is left alone and logged once', async () => {
    const scene = replayCases(LATEST).find(({ story, isOver }) => story === 'words' && !isOver);
    if (!scene) throw new Error('no such moment');
    const newer = JSON.stringify(scene.rows).replaceAll('\\"schemaVersion\\":1', '\\"schemaVersion\\":99');
    await writeRows(folder, [JSON.parse(newer) as Rows], systemClock);
    const storage = await openStorage({ folder, clock: systemClock });
    const log: string[] = [];
    const runs = openScenarioStage(storage, { log: (line) => log.push(line) });
    const run = () => storage.runs.listRuns(ANNE, { conversationId: scene.conversationId, limit: 1 })[0];
    const before = run();
    const events = await readEvents(storage, scene.conversationId);
    try {
      await runs.start();
      await eventually(() => log.length > 0);
      await runs.cancel(ANNE, before?.id ?? '');
      expect(log).toEqual([expect.stringContaining('started by a newer Toolyard')]);
      expect(run()).toEqual(before);
      const free = { owner: 'newer', ms: 1_000 };
      await eventually(() => storage.runs.claimExpired(free, 1).length === 1, { what: 'the lease to be given back' });
      expect(await readEvents(storage, scene.conversationId)).toEqual(events);
    } finally {
      await runs.close();
      storage.close();
    }
  });
});

describeOnDatabases('runs an earlier version has stored, in PostgreSQL', (cluster) => {
  test('are read; those in progress are resumed and end as recorded', async () => {
    await expectReplayed(replayCases(LATEST), await cluster().createDatabase());
  });
});
