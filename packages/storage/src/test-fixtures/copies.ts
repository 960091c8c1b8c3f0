import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeClock, programArgs, runNode } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import type { Databases } from '@toolyard/testing/postgres';
import type { CopyResult, StorageLocation } from '../copy/copy-storage.ts';
import { copyStorage } from '../copy/copy-storage.ts';
import { FINGERPRINT_FILE, SALT_FILE } from '../layout.ts';
import { openStorage } from '../open-storage.ts';
import type { SharedStorage } from '../storage.ts';
import { ANNE, BERT } from './conversation.ts';
import { fillStorage, SAMPLE_IMAGE } from './fill-storage.ts';
import { temporaryFolder } from './sqlite-engine.ts';

const PROGRAM = fileURLToPath(new URL('./copying-process.ts', import.meta.url));
const clock = createFakeClock();

/** A filled data folder and an empty database, new for each test. */
export type CopyStage = {
  /** A temporary folder that contains `data`. */
  readonly path: string;
  readonly data: string;
  readonly url: string;
  readonly blobs: { readonly picture: string; readonly note: string };
  query: Databases['query'];
  createDatabase: Databases['createDatabase'];
  copied(from: StorageLocation, to: StorageLocation): Promise<CopyResult>;
  /** Runs a copy that is killed at a failpoint; resolves when PostgreSQL has also closed its connections. */
  killedCopy(from: string, to: string, place: string, hit: number): ReturnType<typeof runNode>;
  /** Expects all original data, and that it can be changed. */
  expectEverything(storage: SharedStorage): Promise<void>;
};

export function describeCopies(name: string, body: (stage: CopyStage) => void): void {
  describeOnDatabases(name, (cluster) => {
    let folder: ReturnType<typeof temporaryFolder>;
    let data: string;
    let url: string;
    let blobs: { picture: string; note: string };

    beforeEach(async () => {
      folder = temporaryFolder();
      data = join(folder.path, 'data');
      url = await cluster().createDatabase();
      const storage = await openStorage({ folder: data, clock });
      blobs = await fillStorage(storage);
      storage.close();
      writeFileSync(join(data, SALT_FILE), `${Buffer.alloc(16, 5).toString('base64url')}\n`, { mode: 0o600 });
      writeFileSync(join(data, FINGERPRINT_FILE), '01ab23cd\n', { mode: 0o600 });
    });
    afterEach(() => folder.remove());

    body({
      get path() {
        return folder.path;
      },
      get data() {
        return data;
      },
      get url() {
        return url;
      },
      get blobs() {
        return blobs;
      },
      createDatabase: () => cluster().createDatabase(),
      query: (...args) => cluster().query(...args),
      copied: (from, to) => copyStorage(from, to, { clock }),
      async killedCopy(from, to, place, hit) {
        const args = [...programArgs(PROGRAM), from, to, place, String(hit)];
        const ended = await runNode(['--disable-warning=ExperimentalWarning', ...args]);
        await cluster().whenLeft(url);
        return ended;
      },
      expectEverything: (storage) => expectEverything(storage, blobs.picture),
    });
  });
}

/** Kills copies at each of these points, in both directions. */
export function testKilledCopies(stage: CopyStage, places: readonly (readonly [place: string, batch: number])[]): void {
  test.each(places)(
    'killed at %s of batch %i cannot be opened, and is resumed by the next copy',
    async (place, hit) => {
      const killCopy = (from: string, to: string) => stage.killedCopy(from, to, place, hit);
      expect(await killCopy(stage.data, stage.url)).toMatchObject({ signal: 'SIGKILL', stdout: '' });
      await expect(openStorage({ url: stage.url, clock })).rejects.toThrow('an unfinished copy');
      expect(await stage.copied({ folder: stage.data }, { url: stage.url })).toMatchObject({ resumed: true });

      const back = join(stage.path, 'back');
      expect(await killCopy(stage.url, back)).toMatchObject({ signal: 'SIGKILL', stdout: '' });
      await expect(openStorage({ folder: back, clock })).rejects.toThrow('an unfinished copy');
      expect(await stage.copied({ url: stage.url }, { folder: back })).toMatchObject({ resumed: true });
      const storage = await openStorage({ folder: back, clock });
      await stage.expectEverything(storage);
      storage.close();
    },
  );
}

async function expectEverything(storage: SharedStorage, image: string): Promise<void> {
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
  expect(Buffer.from((await storage.blobs.read(BERT, image)) ?? []).equals(SAMPLE_IMAGE)).toBe(true);
  for (const words of ['時計', 'früh', 'tokyo']) {
    const found = await storage.conversations.search(ANNE, { query: words, limit: 9 });
    expect(
      found.map(({ id }) => id),
      words,
    ).toEqual(['c1']);
  }
  // The copy accepts writes: new rows are numbered after the copied ones.
  const lease = await storage.runs.acquireLease('r1', { owner: 'p2', ms: 60_000 });
  expect(lease).toMatchObject({ lastSeq: 1_201, state: { step: 1 } });
  await storage.runs.putInbox(ANNE, 'r1', { id: 'x2', kind: 'cancel', body: {}, at: 6 } as never);
  expect((await storage.runs.readInbox('r1', lease?.fence ?? 0))?.map(({ id }) => id)).toEqual(['x1', 'x2']);
}
