import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createFakeClock } from '@toolyard/testing';
import { blobPath } from '../blobs.ts';
import { checkStorage } from '../check.ts';
import { BLOBS_FOLDER, DATABASE_FILE, FINGERPRINT_FILE, SALT_FILE } from '../layout.ts';
import { openStorage } from '../open-storage.ts';
import { ANNE } from '../test-fixtures/conversation.ts';
import { describeCopies, testKilledCopies } from '../test-fixtures/copies.ts';
import { COPIED_TABLES } from './tables.ts';

const clock = createFakeClock();

// More points at which a copy is killed: `copy-storage.long.test.ts`.
describeCopies('copy between a data folder and PostgreSQL', (stage) => {
  test('copies all rows and the search index, continues the runs, and copies back', async () => {
    const there = await stage.copied({ folder: stage.data }, { url: stage.url });
    expect(there).toMatchObject({ blobs: 2, unreadableBlobs: [], resumed: false });
    expect(there.rows.get('run_events')).toBe(1_201);
    const back = join(stage.path, 'back');
    await stage.copied({ url: stage.url }, { folder: back });
    for (const name of [SALT_FILE, FINGERPRINT_FILE]) {
      expect(readFileSync(join(back, name), 'utf8')).toBe(readFileSync(join(stage.data, name), 'utf8'));
    }
    expect(await checkStorage(back)).toEqual({ ok: true });
    const inDatabase = await openStorage({ url: stage.url, clock });
    await stage.expectEverything(inDatabase);
    expect(await inDatabase.installation.salt()).toEqual(Buffer.alloc(16, 5));
    expect(await inDatabase.installation.fingerprint()).toBe('01ab23cd');
    await inDatabase.close();
    const inFolder = await openStorage({ folder: back, clock });
    await stage.expectEverything(inFolder);
    inFolder.close();
  });

  testKilledCopies(stage, [
    ['copy:written', 2],
    ['copy:committed', 9],
  ]);

  test('rejects a source or target in use and a target with data, and changes nothing', async () => {
    const open = await openStorage({ folder: stage.data, clock });
    await expect(stage.copied({ folder: stage.data }, { url: stage.url })).rejects.toMatchObject({ problem: 'in_use' });
    open.close();
    const served = await openStorage({ url: stage.url, clock });
    await served.settings.get(ANNE, 'mine');
    await expect(stage.copied({ folder: stage.data }, { url: stage.url })).rejects.toMatchObject({ problem: 'in_use' });
    await served.settings.set(ANNE, 'mine', 1, 1);
    await served.close();
    await expect(stage.copied({ folder: stage.data }, { url: stage.url })).rejects.toThrow(
      'is not empty: it contains settings',
    );
    await expect(stage.copied({ url: stage.url }, { folder: stage.data })).rejects.toThrow('already contains data');
    await expect(stage.copied({ folder: join(stage.path, 'nowhere') }, { url: stage.url })).rejects.toThrow(
      'no Toolyard database',
    );
    const empty = await stage.createDatabase();
    await expect(stage.copied({ url: empty }, { folder: join(stage.path, 'back') })).rejects.toThrow(
      'contains no Toolyard data',
    );
    expect(await stage.query(empty, 'SELECT 1 FROM pg_tables WHERE schemaname = current_schema()')).toEqual([]);
  });

  test('does not resume an unfinished copy of another source', async () => {
    await stage.killedCopy(stage.data, stage.url, 'copy:committed', 5);
    const other = join(stage.path, 'other');
    (await openStorage({ folder: other, clock })).close();
    await expect(stage.copied({ folder: other }, { url: stage.url })).rejects.toThrow(
      /unfinished copy of another source: .*data on /,
    );
  });

  test('reports a source changed between two attempts, and leaves the target closed', async () => {
    await stage.killedCopy(stage.data, stage.url, 'copy:written', 18);
    const storage = await openStorage({ folder: stage.data, clock });
    await storage.conversations.create(ANNE, { id: 'a-new-one', title: 'late', at: 9 });
    storage.close();
    await expect(stage.copied({ folder: stage.data }, { url: stage.url })).rejects.toThrow(
      /differs from .*data: conversations: 2 and 3 rows/,
    );
    await expect(openStorage({ url: stage.url, clock })).rejects.toThrow('unfinished');
  });

  test('skips a blob whose file is missing or changed, and names it', async () => {
    rmSync(join(stage.data, BLOBS_FOLDER, blobPath(stage.blobs.picture)));
    writeFileSync(join(stage.data, BLOBS_FOLDER, blobPath(stage.blobs.note)), 'else');
    const { unreadableBlobs, blobs: count, rows } = await stage.copied({ folder: stage.data }, { url: stage.url });
    expect(unreadableBlobs.toSorted()).toEqual([stage.blobs.note, stage.blobs.picture].toSorted());
    expect([count, rows.get('blobs')]).toEqual([0, 0]);
  });

  test('covers every table and column of both engines', async () => {
    await stage.copied({ folder: stage.data }, { url: stage.url });
    const database = new DatabaseSync(join(stage.data, DATABASE_FILE), { readOnly: true });
    const inFolder = database
      .prepare(
        `SELECT t.name AS t, c.name AS c FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'`,
      )
      .all()
      .map(({ t, c }) => `${String(t)}.${String(c)}`);
    database.close();
    const inDatabase = (
      await stage.query(
        stage.url,
        `SELECT table_name || '.' || column_name AS c FROM information_schema.columns WHERE table_schema = current_schema()`,
      )
    ).map(({ c }) => String(c));
    const own =
      /^(search_|usage_(days|conversations)\b|sqlite_|kysely_|toolyard_|blob_bytes|bulletins|installation|processes|held_servers)/;
    const copiedNames = new Set(COPIED_TABLES.map(({ name }) => name));
    const folderTables = inFolder.filter((name) => !own.test(name)).toSorted();
    expect(inDatabase.filter((name) => !own.test(name)).toSorted()).toEqual(folderTables);
    expect(new Set(folderTables.map((name) => name.split('.')[0]))).toEqual(copiedNames);
    expect(existsSync(join(stage.data, 'toolyard.db.copying'))).toBe(false);
  });
});
