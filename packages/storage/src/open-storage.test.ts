import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFakeClock, runNode, SOURCE_CONDITION } from '@toolyard/testing';
import { backupFolder } from './backup.ts';
import { checkStorage } from './check.ts';
import { DATABASE_FILE } from './layout.ts';
import type { Storage, StorageOptions } from './storage.ts';
import { openStorage } from './open-storage.ts';
import { StorageError } from './storage-error.ts';
import { ANNE, createCommit, deltas, newRun } from './test-fixtures/conversation.ts';
import { temporaryFolder } from './test-fixtures/sqlite-engine.ts';

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
const opened: Storage[] = [];

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, DATABASE_FILE);
});
afterEach(() => {
  for (const storage of opened.splice(0)) storage.close();
  folder.remove();
});

async function open(options: Partial<StorageOptions> = {}): Promise<Storage> {
  const storage = await openStorage({ folder: folder.path, clock: createFakeClock(), ...options });
  opened.push(storage);
  return storage;
}

async function refusal(options: Partial<StorageOptions> = {}): Promise<StorageError> {
  const thrown: unknown = await open(options).then(
    () => null,
    (error: unknown) => error,
  );
  if (!StorageError.isInstance(thrown)) throw new Error(`no StorageError: ${String(thrown)}`);
  return thrown;
}

/** Creates a database with one conversation and closes it. */
async function leaveDatabase(): Promise<void> {
  const storage = await open();
  await storage.conversations.create(ANNE, { id: 'c1', title: 'Clocks', at: 1 });
  storage.close();
}

describe('opening a data folder', () => {
  test('creates it with all parent folders, readable only by the owner', async () => {
    const deep = join(folder.path, 'a', 'b');
    await open({ folder: deep });
    expect(statSync(deep).mode & 0o777).toBe(0o700);
    expect(statSync(join(deep, DATABASE_FILE)).mode & 0o777).toBe(0o600);
  });

  test("removes other users' access to a database copied with another mode", async () => {
    const file = join(folder.path, DATABASE_FILE);
    await leaveDatabase();
    chmodSync(file, 0o644);
    await open();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(`${file}-wal`).mode & 0o777).toBe(0o600);
  });

  test('a second time finds all data', async () => {
    await leaveDatabase();
    const storage = await open();
    expect(await storage.conversations.get(ANNE, 'c1')).toMatchObject({ title: 'Clocks' });
  });

  test('closing checkpoints the WAL and is idempotent', async () => {
    await leaveDatabase();
    expect(() => statSync(`${file}-wal`)).toThrow();
    opened[0]?.close();
  });

  test('fails while it is open in this or another process, naming the folder', async () => {
    const storage = await open();
    const error = await refusal();
    expect(error).toMatchObject({ problem: 'in_use', code: 'bad_config' });
    expect(error.message).toContain(folder.path);

    const program = `
      import { openStorage } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
      import { systemClock } from '@toolyard/protocol';
      await openStorage({ folder: ${JSON.stringify(folder.path)}, clock: systemClock })
        .then(() => console.log('opened'), (error) => console.log(error.problem));
    `;
    const elsewhere = () =>
      runNode([SOURCE_CONDITION, '--input-type=module', '--eval', program], { cwd: import.meta.dirname });
    expect(await elsewhere()).toMatchObject({ stdout: 'in_use\n', stderr: '' });
    storage.close();
    expect(await elsewhere()).toMatchObject({ stdout: 'opened\n', stderr: '' });
  });

  test('reports a file at its path', async () => {
    const path = join(folder.path, 'file');
    writeFileSync(path, 'x');
    expect(await refusal({ folder: path })).toMatchObject({ problem: 'not_writable' });
    expect(await refusal({ folder: join(path, 'below') })).toMatchObject({ problem: 'not_writable' });
  });

  test('reports a folder without write permission', async () => {
    const path = join(folder.path, 'closed');
    mkdirSync(path, { mode: 0o500 });
    // Root ignores permissions, so it gives them up for a moment.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      const error = await refusal({ folder: path });
      expect(error.problem).toBe('not_writable');
      expect(error.message).toContain(path);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  test('rejects a database of a newer version and leaves it unchanged', async () => {
    await leaveDatabase();
    const database = new DatabaseSync(file);
    database.exec(`INSERT INTO kysely_migration VALUES ('999-later', '2030-01-01T00:00:00.000Z')`);
    database.close();
    const before = readFileSync(file);
    const error = await refusal();
    expect(error).toMatchObject({ problem: 'newer_version' });
    expect(error.message).toContain(file);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('rejects a folder of a version before the first release and leaves every file unchanged', async () => {
    await leaveDatabase();
    const database = new DatabaseSync(file);
    database.exec(`UPDATE kysely_migration SET name = '001-first'`);
    // Like after a crash: the last commits are only in the WAL.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0');
    database.exec(`UPDATE conversations SET title = 'Watches'`);
    const old = join(folder.path, 'old');
    mkdirSync(join(old, 'blobs', 'ab'), { recursive: true });
    for (const name of [DATABASE_FILE, `${DATABASE_FILE}-wal`]) copyFileSync(join(folder.path, name), join(old, name));
    database.close();
    for (const name of ['secret.key', 'config.json', 'mcp.json', 'access-token', 'blobs/ab/abcd']) {
      writeFileSync(join(old, name), `stored in ${name}`);
    }
    const readFiles = (path: string): Record<string, string> =>
      Object.fromEntries(
        readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => join(parentPath, name))
          // The lock of the folder, and the shared memory that every reader of a WAL needs.
          .filter((name) => !/lock\.db|-shm$/.test(name))
          .map((name) => [name, readFileSync(name).toString('base64')]),
      );
    const before = readFiles(old);
    const error = await refusal({ folder: old });
    expect(error).toMatchObject({ problem: 'prerelease', code: 'bad_config' });
    expect(error.message).toContain('before its first release');
    await expect(checkStorage(old)).rejects.toMatchObject({ problem: 'prerelease' });
    await expect(backupFolder(old, join(folder.path, 'to'), { keys: true })).rejects.toMatchObject({
      problem: 'prerelease',
    });
    expect(readFiles(old)).toEqual(before);
    expect(existsSync(join(folder.path, 'to'))).toBe(false);
  });

  test('rejects a database of another program and leaves it unchanged', async () => {
    const database = new DatabaseSync(file);
    database.exec('CREATE TABLE recipes (name TEXT)');
    database.close();
    const before = readFileSync(file);
    expect(await refusal()).toMatchObject({ problem: 'not_ours' });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('also one made by another program with the same library', async () => {
    const database = new DatabaseSync(file);
    database.exec(`CREATE TABLE kysely_migration (name TEXT); INSERT INTO kysely_migration VALUES ('2020-recipes')`);
    database.close();
    expect(await refusal()).toMatchObject({ problem: 'not_ours' });
  });

  test('rejects a damaged database and leaves it unchanged', async () => {
    const invalid = Buffer.alloc(8_192, 'not a database ');
    writeFileSync(file, invalid);
    expect(await refusal()).toMatchObject({ problem: 'corrupt' });
    expect(readFileSync(file).equals(invalid)).toBe(true);
  });

  test('releases the folder after any error', async () => {
    writeFileSync(file, Buffer.alloc(8_192, 'not a database '));
    await refusal();
    writeFileSync(file, '');
    await open();
  });

  test('reports a disk too full for the first tables, and a retry works', async () => {
    expect(await refusal({ maxPages: 10 })).toMatchObject({ problem: 'disk_full' });
    const storage = await open();
    expect(await storage.check()).toEqual({ ok: true });
  });
});

test('a full disk fails a commit atomically, keeps earlier ones, and continues when there is space', async () => {
  const full = await open({ maxPages: 130 });
  await full.conversations.create(ANNE, { id: 'c1', title: 'Clocks', at: 1 });
  full.runs.createRun(ANNE, newRun('r1', 'c1'));
  let lastSeq = 0;
  const fill = (): void => {
    for (;;) {
      const events = deltas('r1', lastSeq, 5).map((event) => ({ ...event, text: 'x'.repeat(2_000) }));
      const [outcome] = full.runs.commit([createCommit('r1', { baseSeq: lastSeq, events })]);
      if (outcome?.outcome !== 'committed') throw new Error('refused');
      lastSeq = outcome.lastSeq;
    }
  };
  expect(fill).toThrow(expect.objectContaining({ problem: 'disk_full' }));
  expect(lastSeq).toBeGreaterThan(0);
  expect(full.runs.readEvents(ANNE, 'r1', 0, 1_000)).toHaveLength(lastSeq);
  // Twice, because a failed transaction must not stay open.
  expect(fill).toThrow(expect.objectContaining({ problem: 'disk_full' }));
  await expect(full.settings.set(ANNE, 'big', 'x'.repeat(200_000), 1)).rejects.toMatchObject({ problem: 'disk_full' });
  full.close();

  const withSpace = await open();
  expect(await withSpace.check()).toEqual({ ok: true });
  const [run] = withSpace.runs.claimExpired({ owner: 'next', ms: 1_000 }, 1);
  expect(run).toMatchObject({ id: 'r1', lastSeq });
  const item = createCommit('r1', { fence: run?.fence ?? 0, baseSeq: lastSeq, events: deltas('r1', lastSeq, 1) });
  expect(withSpace.runs.commit([item])).toMatchObject([{ outcome: 'committed' }]);
});

test('another program that locks the database fails a commit atomically and nothing else', async () => {
  const storage = await open();
  await storage.conversations.create(ANNE, { id: 'c1', title: 'Clocks', at: 1 });
  storage.runs.createRun(ANNE, newRun('r1', 'c1'));
  const foreign = new DatabaseSync(file);
  const item = createCommit('r1', { events: deltas('r1', 0, 2) });
  try {
    foreign.exec('BEGIN IMMEDIATE');
    expect(() => storage.runs.commit([item])).toThrow(expect.objectContaining({ problem: 'in_use' }));
    expect(storage.runs.readEvents(ANNE, 'r1', 0, 9)).toEqual([]);
  } finally {
    foreign.close();
  }
  expect(storage.runs.commit([item])).toMatchObject([{ outcome: 'committed' }]);
});

test('leases do not depend on the wall clock', async () => {
  const clock = createFakeClock();
  let jump = 0;
  const storage = await open({ clock: { ...clock, now: () => clock.now() + jump } });
  await storage.conversations.create(ANNE, { id: 'c1', title: 'Clocks', at: 1 });
  storage.runs.createRun(ANNE, newRun('r1', 'c1'));
  jump = 86_400_000;
  expect(storage.runs.claimExpired({ owner: 'p2', ms: 1_000 }, 1)).toEqual([]);
  jump = -86_400_000;
  await clock.advance(15_000);
  expect(storage.runs.claimExpired({ owner: 'p2', ms: 1_000 }, 1)).toHaveLength(1);
});
