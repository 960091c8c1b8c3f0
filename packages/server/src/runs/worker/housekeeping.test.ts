import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Storage } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import type { FakeClock } from '@toolyard/testing';
import { createFakeClock, eventually } from '@toolyard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startHousekeeping } from './housekeeping.ts';

const HOUR_MS = 3_600_000;
const ANNE = { ownerId: 'anne' };

let folder: string;
let clock: FakeClock;
let storage: Storage;
const logged: string[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-housekeeping-'));
  clock = createFakeClock();
  storage = await openStorage({ folder, clock });
});
afterEach(() => {
  storage.close();
  rmSync(folder, { recursive: true });
});

test('deletes an unreferenced file after a day, and keeps a referenced one', async () => {
  const put = async (text: string): Promise<string> =>
    (await storage.blobs.put(ANNE, Buffer.from(text), { mimeType: 'text/plain', at: clock.now() })).sha256;
  const [named, unnamed] = [await put('named'), await put('unnamed')];
  await storage.conversations.create(ANNE, { id: 'c', title: '', at: 1 });
  const part = { type: 'image', mimeType: 'image/png', source: { blob: named } } as const;
  await storage.messages.add(ANNE, 'c', { id: 'm', parentId: null, createdAt: 1, role: 'user', parts: [part] });
  const stop = startHousekeeping({ storage, clock, log: (line) => logged.push(line) });
  await clock.advance(2 * HOUR_MS);
  expect(storage.blobs.info(ANNE, unnamed)).not.toBeNull();
  await eventually(async () => {
    await clock.advance(HOUR_MS);
    return storage.blobs.info(ANNE, unnamed) === null;
  });
  expect(storage.blobs.info(ANNE, named)).not.toBeNull();
  stop();
  expect(logged).toEqual([]);
});

test('deletes offers of a tab an hour after it was last seen, and keeps those of an open tab', async () => {
  await storage.conversations.create(ANNE, { id: 'c', title: '', at: 1 });
  const offer = { conversationId: 'c', servers: [], at: clock.now() };
  await storage.tabs.offer(ANNE, { ...offer, tabId: 'gone', seenUntil: clock.now() });
  await storage.tabs.offer(ANNE, { ...offer, tabId: 'there', seenUntil: clock.now() + 1_000 * HOUR_MS });
  const stop = startHousekeeping({ storage, clock, log: (line) => logged.push(line) });
  await eventually(async () => {
    await clock.advance(HOUR_MS);
    return (await storage.tabs.listOffers(ANNE, 'gone')).length === 0;
  });
  expect(await storage.tabs.listOffers(ANNE, 'there')).toHaveLength(1);
  stop();
  expect(logged).toEqual([]);
});
