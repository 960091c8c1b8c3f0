import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFakeClock } from '@toolyard/testing';
import { blobPath } from './blobs.ts';
import { BLOBS_FOLDER } from './layout.ts';
import type { Storage } from './storage.ts';
import { openStorage } from './open-storage.ts';
import { ANNE, BERT } from './test-fixtures/conversation.ts';
import { temporaryFolder } from './test-fixtures/sqlite-engine.ts';

let folder: ReturnType<typeof temporaryFolder>;
let storage: Storage;
const bytes = new TextEncoder().encode('abc');
const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const of = { mimeType: 'text/plain', at: 1 };
const files = (): string[] =>
  readdirSync(join(folder.path, BLOBS_FOLDER), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

beforeEach(async () => {
  folder = temporaryFolder();
  storage = await openStorage({ folder: folder.path, clock: createFakeClock() });
});
afterEach(() => {
  storage.close();
  folder.remove();
});

describe('blobs', () => {
  test('are identified by the sha256 of their bytes and stored once', async () => {
    const all = await Promise.all([1, 2, 3].map(() => storage.blobs.put(ANNE, bytes, of)));
    expect(all.map(({ sha256 }) => sha256)).toEqual([ABC, ABC, ABC]);
    expect(storage.blobs.info(ANNE, ABC)).toEqual({ sha256: ABC, size: 3, mimeType: 'text/plain', createdAt: 1 });
    expect(new Uint8Array((await storage.blobs.read(ANNE, ABC)) ?? [])).toEqual(bytes);
    expect(files()).toEqual([ABC.slice(2)]);
  });

  test('are not accessible to another owner who knows the hash', async () => {
    await storage.blobs.put(ANNE, bytes, of);
    expect(storage.blobs.info(BERT, ABC)).toBeNull();
    expect(await storage.blobs.read(BERT, ABC)).toBeNull();
    expect(storage.blobs.remove(BERT, ABC)).toBe(false);
    expect(await storage.blobs.read(ANNE, ABC)).not.toBeNull();
  });

  test('are deleted with their last owner', async () => {
    await storage.blobs.put(ANNE, bytes, of);
    await storage.blobs.put(BERT, bytes, of);
    expect(storage.blobs.remove(ANNE, ABC)).toBe(true);
    expect(await storage.blobs.read(BERT, ABC)).not.toBeNull();
    expect(storage.blobs.remove(BERT, ABC)).toBe(true);
    expect(files()).toEqual([]);
  });

  test('reject an invalid hash', async () => {
    expect(await storage.blobs.read(ANNE, '../../toolyard.db')).toBeNull();
  });

  test('leave neither a row nor a partial file after a failed write', async () => {
    writeFileSync(join(folder.path, BLOBS_FOLDER), 'in the way');
    await expect(storage.blobs.put(ANNE, bytes, of)).rejects.toMatchObject({ problem: 'not_writable' });
    expect(storage.blobs.info(ANNE, ABC)).toBeNull();
    rmSync(join(folder.path, BLOBS_FOLDER));
    await storage.blobs.put(ANNE, bytes, of);
    expect(files()).toEqual([ABC.slice(2)]);
  });

  test('unreferenced and partial files are deleted once they are old, and nothing else', async () => {
    const blobs = join(folder.path, BLOBS_FOLDER);
    const day = 86_400_000;
    const now = Date.now();
    await storage.blobs.put(ANNE, bytes, { ...of, at: now });
    // Leftovers of a process that exits before it inserts the row.
    const stray = (path: string, age: number): void => {
      mkdirSync(dirname(join(blobs, path)), { recursive: true });
      writeFileSync(join(blobs, path), 'x');
      utimesSync(join(blobs, path), (now - age) / 1_000, (now - age) / 1_000);
    };
    const [old, recent] = ['1'.repeat(64), '2'.repeat(64)];
    stray(blobPath(old), 2 * day);
    stray(blobPath(recent), 1_000);
    stray('draft-old', 2 * day);
    stray('draft-young', 1_000);
    stray('notes.txt', 2 * day);
    utimesSync(join(blobs, blobPath(ABC)), 1, 1);
    expect(await storage.sweepBlobs({ unusedSince: now - day })).toBe(2);
    expect(files().toSorted()).toEqual([recent.slice(2), ABC.slice(2), 'draft-young', 'notes.txt'].toSorted());
    expect(await storage.check()).toEqual({ ok: true });
  });

  test('a missing or changed file is reported on read and by the check', async () => {
    await storage.blobs.put(ANNE, bytes, of);
    const file = join(folder.path, BLOBS_FOLDER, blobPath(ABC));
    writeFileSync(file, 'abd');
    expect(await storage.check()).toEqual({ ok: false, problems: [expect.stringContaining('not match its hash')] });
    rmSync(file);
    await expect(storage.blobs.read(ANNE, ABC)).rejects.toThrow(file);
    expect(await storage.check()).toEqual({ ok: false, problems: [expect.stringContaining('is missing')] });
  });
});
