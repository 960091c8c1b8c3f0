import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeClock, runNode, programArgs } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { blobPath } from '../blobs.ts';
import { checkStorage } from '../check.ts';
import { BLOBS_FOLDER, DATABASE_FILE, FINGERPRINT_FILE, SALT_FILE } from '../layout.ts';
import { openStorage } from '../open-storage.ts';
import type { SharedStorage } from '../storage.ts';
import { ANNE, BERT } from '../test-fixtures/conversation.ts';
import { fill, PICTURE } from '../test-fixtures/filled.ts';
import { temporaryFolder } from '../test-fixtures/sqlite-engine.ts';
import type { StoragePlace } from './copy-storage.ts';
import { copyStorage } from './copy-storage.ts';
import { COPIED_TABLES } from './tables.ts';

const PROGRAM = fileURLToPath(new URL('../test-fixtures/copying-process.ts', import.meta.url));
const clock = createFakeClock();

describeOnDatabases('a copy from a data folder to PostgreSQL and back', (cluster) => {
  let folder: ReturnType<typeof temporaryFolder>;
  let data: string;
  let url: string;
  let blobs: { picture: string; note: string };

  beforeEach(async () => {
    folder = temporaryFolder();
    data = join(folder.path, 'data');
    url = await cluster().createDatabase();
    const storage = await openStorage({ folder: data, clock });
    blobs = await fill(storage);
    storage.close();
    writeFileSync(join(data, SALT_FILE), `${Buffer.alloc(16, 5).toString('base64url')}\n`, { mode: 0o600 });
    writeFileSync(join(data, FINGERPRINT_FILE), '01ab23cd\n', { mode: 0o600 });
  });
  afterEach(() => folder.remove());

  /** A copy that is killed, and nothing of it is left in PostgreSQL either. */
  async function killedCopy(from: string, to: string, place: string, hit: number) {
    const ended = await runNode([
      '--disable-warning=ExperimentalWarning',
      ...programArgs(PROGRAM),
      from,
      to,
      place,
      String(hit),
    ]);
    await cluster().whenLeft(url);
    return ended;
  }

  const copied = (from: StoragePlace, to: StoragePlace) => copyStorage(from, to, { clock });

  async function expectEverything(storage: SharedStorage): Promise<void> {
    expect(await storage.check()).toEqual({ ok: true });
    expect((await storage.runs.readEvents(ANNE, 'r1', 0, 9_999))?.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 1_201 }, (_none, index) => index + 1),
    );
    expect((await storage.messages.branch(ANNE, 'c1')).map(({ id }) => id)).toEqual(['r1.question', 'a0']);
    expect(await storage.runs.listInterrupts(ANNE, { status: 'open', limit: 9 })).toMatchObject([
      { interrupt: { id: 'i1' } },
    ]);
    expect(await storage.runs.readLedger(ANNE, 'r1')).toMatchObject([{ callId: 'k1', arguments: { a: '秘密' } }]);
    const used = await storage.usage.report(ANNE, { by: 'model', from: '1970-01-01', to: '1970-01-01' });
    expect(used.rows).toMatchObject([{ key: 'p/m', cost: 0.125, usage: { inputTokens: 3 }, durationMs: 40 }]);
    expect(await storage.secrets.get(ANNE, 'provider:a')).toEqual(new Uint8Array([0, 255, 10]));
    expect(JSON.stringify(await storage.settings.get(ANNE, 'theme'))).toBe('{"dark":true,"z":1,"a":2}');
    expect(Buffer.from((await storage.blobs.read(BERT, blobs.picture)) ?? []).equals(PICTURE)).toBe(true);
    for (const words of ['時計', 'früh', 'tokyo']) {
      const found = await storage.conversations.search(ANNE, { query: words, limit: 9 });
      expect(
        found.map(({ id }) => id),
        words,
      ).toEqual(['c1']);
    }
    // Work goes on there: what is new is numbered after what was copied.
    const lease = await storage.runs.acquireLease('r1', { owner: 'p2', ms: 60_000 });
    expect(lease).toMatchObject({ lastSeq: 1_201, state: { step: 1 } });
    await storage.runs.putInbox(ANNE, 'r1', { id: 'x2', kind: 'cancel', body: {}, at: 6 } as never);
    expect((await storage.runs.readInbox('r1', lease?.fence ?? 0))?.map(({ id }) => id)).toEqual(['x1', 'x2']);
  }

  test('is the same in all rows, can be searched, and work goes on there; the way back too', async () => {
    const there = await copied({ folder: data }, { url });
    expect(there).toMatchObject({ blobs: 2, lostBlobs: [], resumed: false });
    expect(there.rows.get('run_events')).toBe(1_201);
    const back = join(folder.path, 'back');
    await copied({ url }, { folder: back });
    for (const name of [SALT_FILE, FINGERPRINT_FILE]) {
      expect(readFileSync(join(back, name), 'utf8')).toBe(readFileSync(join(data, name), 'utf8'));
    }
    expect(await checkStorage(back)).toEqual({ ok: true });
    const inDatabase = await openStorage({ url, clock });
    await expectEverything(inDatabase);
    expect(await inDatabase.installation.salt()).toEqual(Buffer.alloc(16, 5));
    expect(await inDatabase.installation.fingerprint()).toBe('01ab23cd');
    await inDatabase.close();
    const inFolder = await openStorage({ folder: back, clock });
    await expectEverything(inFolder);
    inFolder.close();
  });

  test.each([
    ['copy:written', 2],
    ['copy:committed', 3],
    ['copy:committed', 9],
    ['copy:written', 18],
  ])('killed at %s of batch %i is not opened by anybody, and goes on when it is begun again', async (place, hit) => {
    const die = (from: string, to: string) => killedCopy(from, to, place, hit);
    expect(await die(data, url)).toMatchObject({ signal: 'SIGKILL', stdout: '' });
    await expect(openStorage({ url, clock })).rejects.toThrow('a copy that was not finished');
    expect(await copied({ folder: data }, { url })).toMatchObject({ resumed: true });

    const back = join(folder.path, 'back');
    expect(await die(url, back)).toMatchObject({ signal: 'SIGKILL', stdout: '' });
    await expect(openStorage({ folder: back, clock })).rejects.toThrow('a copy that was not finished');
    expect(await copied({ url }, { folder: back })).toMatchObject({ resumed: true });
    const storage = await openStorage({ folder: back, clock });
    await expectEverything(storage);
    storage.close();
  });

  test('is refused where either side is in use, or the target holds anything else; nothing is changed then', async () => {
    const open = await openStorage({ folder: data, clock });
    await expect(copied({ folder: data }, { url })).rejects.toMatchObject({ problem: 'in_use' });
    open.close();
    const served = await openStorage({ url, clock });
    await served.settings.get(ANNE, 'mine');
    await expect(copied({ folder: data }, { url })).rejects.toMatchObject({ problem: 'in_use' });
    await served.settings.set(ANNE, 'mine', 1, 1);
    await served.close();
    await expect(copied({ folder: data }, { url })).rejects.toThrow('is not empty: there are settings in it');
    await expect(copied({ url }, { folder: data })).rejects.toThrow('holds data already');
    await expect(copied({ folder: join(folder.path, 'nowhere') }, { url })).rejects.toThrow('no Toolyard database');
    const empty = await cluster().createDatabase();
    await expect(copied({ url: empty }, { folder: join(folder.path, 'back') })).rejects.toThrow('nothing of Toolyard');
    expect(await cluster().query(empty, 'SELECT 1 FROM pg_tables WHERE schemaname = current_schema()')).toEqual([]);
  });

  test('of something else does not go on with an unfinished one', async () => {
    await killedCopy(data, url, 'copy:committed', 5);
    const other = join(folder.path, 'other');
    (await openStorage({ folder: other, clock })).close();
    await expect(copied({ folder: other }, { url })).rejects.toThrow(/unfinished copy of something else: .*data on /);
  });

  test('whose source was changed between two attempts says so, and stays closed', async () => {
    await killedCopy(data, url, 'copy:written', 18);
    const storage = await openStorage({ folder: data, clock });
    await storage.conversations.create(ANNE, { id: 'a-new-one', title: 'late', at: 9 });
    storage.close();
    await expect(copied({ folder: data }, { url })).rejects.toThrow(
      /not the same as .*data: of conversations there are 2 and 3/,
    );
    await expect(openStorage({ url, clock })).rejects.toThrow('not finished');
  });

  test('leaves out a blob whose file is gone or holds something else, and says which', async () => {
    rmSync(join(data, BLOBS_FOLDER, blobPath(blobs.picture)));
    writeFileSync(join(data, BLOBS_FOLDER, blobPath(blobs.note)), 'else');
    const { lostBlobs, blobs: count, rows } = await copied({ folder: data }, { url });
    expect(lostBlobs.toSorted()).toEqual([blobs.note, blobs.picture].toSorted());
    expect([count, rows.get('blobs')]).toEqual([0, 0]);
  });

  test('knows every table and every column of both engines', async () => {
    await copied({ folder: data }, { url });
    const database = new DatabaseSync(join(data, DATABASE_FILE), { readOnly: true });
    const inFolder = database
      .prepare(
        `SELECT t.name AS t, c.name AS c FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'`,
      )
      .all()
      .map(({ t, c }) => `${String(t)}.${String(c)}`);
    database.close();
    const inDatabase = (
      await cluster().query(
        url,
        `SELECT table_name || '.' || column_name AS c FROM information_schema.columns WHERE table_schema = current_schema()`,
      )
    ).map(({ c }) => String(c));
    const own = /^(search_|sqlite_|kysely_|toolyard_|blob_bytes|bulletins|installation|processes|held_servers)/;
    const copiedNames = new Set(COPIED_TABLES.map(({ name }) => name));
    const foldersOwn = inFolder.filter((name) => !own.test(name)).toSorted();
    expect(inDatabase.filter((name) => !own.test(name)).toSorted()).toEqual(foldersOwn);
    expect(new Set(foldersOwn.map((name) => name.split('.')[0]))).toEqual(copiedNames);
    expect(existsSync(join(data, 'toolyard.db.copying'))).toBe(false);
  });
});
