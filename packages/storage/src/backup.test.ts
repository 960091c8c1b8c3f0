import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunEvent } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { backupFolder } from './backup.ts';
import { checkStorage } from './check.ts';
import { DATABASE_FILE } from './layout.ts';
import type { Storage } from './storage.ts';
import { openStorage } from './open-storage.ts';
import { ANNE, createCommit, deltas, newRun } from './test-fixtures/conversation.ts';
import { temporaryFolder } from './test-fixtures/sqlite-engine.ts';

let folder: ReturnType<typeof temporaryFolder>;
let data: string;
let target: string;
let storage: Storage;
let lastSeq = 0;

const addEvents = (count: number): void => {
  const item = createCommit('r1', { baseSeq: lastSeq, events: deltas('r1', lastSeq, count) });
  expect(storage.runs.commit([item])).toMatchObject([{ outcome: 'committed' }]);
  lastSeq += count;
};

beforeEach(async () => {
  folder = temporaryFolder();
  data = join(folder.path, 'data');
  target = join(folder.path, 'backups', 'monday');
  storage = await openStorage({ folder: data, clock: createFakeClock() });
  lastSeq = 0;
  await storage.conversations.create(ANNE, { id: 'c1', title: 'Clocks', at: 1 });
  storage.runs.createRun(ANNE, newRun('r1', 'c1', { state: { step: 1 } }));
  addEvents(3);
});
afterEach(() => {
  storage.close();
  folder.remove();
});

describe('backup', () => {
  test('of a run in progress opens as a data folder that resumes the run', async () => {
    const { sha256 } = await storage.blobs.put(ANNE, new Uint8Array(100_000).fill(7), { mimeType: 'x/y', at: 1 });
    const backup = storage.backup(target, { keys: true });
    let written = 0;
    void backup.finally(() => (written = -1));
    while (written >= 0) {
      addEvents(5);
      written++;
      await nextTurn();
    }
    await backup;
    expect(await checkStorage(target)).toEqual({ ok: true });
    const restored = await openStorage({ folder: target, clock: createFakeClock() });
    try {
      const [run] = restored.runs.claimExpired({ owner: 'p2', ms: 1_000 }, 10);
      expect(run).toMatchObject({ id: 'r1', fence: 2, state: { step: 1 } });
      expect(run?.lastSeq).toBeGreaterThanOrEqual(3);
      const seqs = restored.runs.readEvents(ANNE, 'r1', 0, 100_000)?.map(({ seq }) => seq);
      expect(seqs).toEqual(Array.from({ length: run?.lastSeq ?? 0 }, (_none, index) => index + 1));
      expect(await restored.blobs.read(ANNE, sha256)).toHaveLength(100_000);
    } finally {
      restored.close();
    }
  });

  test('contains blobs that are deleted during the backup', async () => {
    const { sha256 } = await storage.blobs.put(ANNE, new Uint8Array([1, 2, 3]), { mimeType: 'x/y', at: 1 });
    const backup = storage.backup(target, { keys: true });
    await nextTurn();
    storage.blobs.remove(ANNE, sha256);
    await backup;
    expect(await checkStorage(target)).toEqual({ ok: true });
    expect(await storage.check()).toEqual({ ok: true });
    expect(readdirSync(join(data, 'blobs', sha256.slice(0, 2)))).toEqual([]);
  });

  test('never overwrites anything and leaves nothing if it fails', async () => {
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, 'mine'), 'x');
    await expect(storage.backup(target, { keys: true })).rejects.toMatchObject({ problem: 'not_writable' });
    expect(readdirSync(target)).toEqual(['mine']);
    const below = join(target, 'mine', 'deeper');
    await expect(storage.backup(below, { keys: true })).rejects.toMatchObject({ problem: 'not_writable' });
    expect(readdirSync(join(folder.path, 'backups'))).toEqual(['monday']);
  });

  test('contains the files beside the database, readable only by the owner, and keys only on request', async () => {
    for (const name of [
      'config.json',
      'mcp.json',
      'secret.key',
      'secret.salt',
      'secret.check',
      'server.json',
      'notes.txt',
    ]) {
      writeFileSync(join(data, name), name, { mode: 0o644 });
    }
    expect(await storage.backup(target, { keys: true })).toEqual({
      files: ['config.json', 'mcp.json', 'secret.key', 'secret.salt', 'secret.check'],
    });
    expect(readdirSync(target).sort()).toEqual([
      'config.json',
      'mcp.json',
      'secret.check',
      'secret.key',
      'secret.salt',
      DATABASE_FILE,
    ]);
    expect(readFileSync(join(target, 'secret.key'), 'utf8')).toBe('secret.key');
    for (const name of readdirSync(target)) expect(statSync(join(target, name)).mode & 0o077, name).toBe(0);
    const without = join(folder.path, 'backups', 'tuesday');
    await storage.backup(without, { keys: false });
    expect(readdirSync(without).sort()).toEqual(['config.json', 'mcp.json', DATABASE_FILE]);
  });

  test('rejects a folder that is not a data folder, and names a damaged one as the source of the error', async () => {
    const empty = join(folder.path, 'empty');
    mkdirSync(empty);
    await expect(backupFolder(empty, target, { keys: true })).rejects.toMatchObject({
      problem: 'not_ours',
      message: expect.stringContaining(empty),
    });
    writeFileSync(join(empty, DATABASE_FILE), Buffer.alloc(8_192, 'not a database '));
    await expect(backupFolder(empty, target, { keys: true })).rejects.toMatchObject({
      problem: 'corrupt',
      message: expect.stringContaining(empty),
    });
    expect(existsSync(join(folder.path, 'backups'))).toBe(false);
  });
});

describe('check', () => {
  test('reports a damaged page', async () => {
    addEvents(2_000);
    storage.close();
    const file = join(data, DATABASE_FILE);
    const bytes = readFileSync(file);
    bytes.fill(0xee, bytes.length - 3 * 4_096, bytes.length - 4_096);
    writeFileSync(file, bytes);
    expect(await checkStorage(data)).toMatchObject({ ok: false });
  });

  test('reports a run whose events have a gap', async () => {
    storage.close();
    const database = new DatabaseSync(join(data, DATABASE_FILE));
    database.exec('DELETE FROM run_events WHERE seq = 2');
    database.close();
    expect(await checkStorage(data)).toEqual({ ok: false, problems: [expect.stringContaining('Run r1')] });
  });

  test('accepts a run with compacted deltas, but reports any other gap', async () => {
    const run = { runId: 'r1', fence: 1, baseSeq: lastSeq, durability: 'normal' } as const;
    const parked: RunEvent = { v: 1, seq: lastSeq + 1, runId: 'r1', step: 0, attempt: 1, at: 1, type: 'run_parked' };
    storage.runs.commit([{ ...run, events: [parked], status: 'done' }]);
    expect(storage.runs.compact(Number.MAX_SAFE_INTEGER, 9)).toBe(1);
    expect(await storage.check()).toEqual({ ok: true });
    storage.close();
    const database = new DatabaseSync(join(data, DATABASE_FILE));
    database.exec(`DELETE FROM run_events WHERE type = 'run_parked'`);
    database.close();
    expect(await checkStorage(data)).toEqual({ ok: false, problems: [expect.stringContaining('Run r1')] });
  });

  test('reports a folder without a database and does not create one', async () => {
    await expect(checkStorage(folder.path)).rejects.toMatchObject({ problem: 'not_ours' });
    expect(existsSync(join(folder.path, DATABASE_FILE))).toBe(false);
  });
});
