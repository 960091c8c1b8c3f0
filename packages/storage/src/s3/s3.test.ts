import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createFakeClock } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { copyStorage } from '../copy/copy-storage.ts';
import { openStorage } from '../open-storage.ts';
import { checkDatabaseAt } from '../postgres/check-at.ts';
import type { DatabaseStorage } from '../storage.ts';
import { ANNE, BERT } from '../test-fixtures/conversation.ts';
import type { S3Server } from '../test-fixtures/s3-server.ts';
import { startS3Server } from '../test-fixtures/s3-server.ts';
import { temporaryFolder } from '../test-fixtures/sqlite-engine.ts';
import { openBucket } from './bucket.ts';
import { readS3Settings } from './settings.ts';

const clock = createFakeClock();
const SOUND = new Uint8Array(70_000).fill(9);
const SHA = createHash('sha256').update(SOUND).digest('hex');
const of = { mimeType: 'audio/wav', at: 1 };
const NOTHING = new Uint8Array();
const NO_SHA = createHash('sha256').update(NOTHING).digest('hex');
const KEY = { AWS_ACCESS_KEY_ID: 'me', AWS_SECRET_ACCESS_KEY: 'secret' };

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
});
afterAll(() => s3.close());

describe('bucket URL', () => {
  test('contains bucket, prefix, region and endpoint; the key comes from the environment', () => {
    const address = 's3://files/a/b/?region=eu-central-1&endpoint=https://s3.example.com/';
    expect(readS3Settings(address, { ...KEY, AWS_SESSION_TOKEN: 't' })).toEqual({
      bucket: 'files',
      prefix: 'a/b/',
      region: 'eu-central-1',
      endpoint: 'https://s3.example.com',
      accessKeyId: 'me',
      secretAccessKey: 'secret',
      sessionToken: 't',
    });
    expect(readS3Settings('s3://files', KEY)).toMatchObject({ prefix: '', region: 'us-east-1' });
  });

  test.each([
    ['https://files/', 'does not name a bucket'],
    ['s3://', 'does not name a bucket'],
    ['s3://me:secret@files', 'must not contain a key'],
    ['s3://files?regoin=x', 'the parameter "regoin" is unknown'],
    ['s3://files?endpoint=ftp://x', 'endpoint is not an http'],
  ])('%s is rejected: %s', (address, message) => {
    expect(() => readS3Settings(address, KEY)).toThrow(message);
  });

  test('without a key is rejected with the missing variables', () => {
    expect(() => readS3Settings('s3://files', { AWS_ACCESS_KEY_ID: 'me' })).toThrow('no key');
  });
});

describe('a bucket', () => {
  test('stores bytes by name; removing is idempotent', async () => {
    const bucket = openBucket(s3.settings);
    await bucket.put('a/ä b', SOUND, SHA);
    expect(await bucket.get('a/ä b')).toEqual(SOUND);
    await bucket.remove('a/ä b');
    await bucket.remove('a/ä b');
    expect(await bucket.get('a/ä b')).toBeNull();
  });

  // The S3 server of the other tests cannot split a list into pages on this Node.
  test('lists the objects under its prefix, page by page', async () => {
    const queries: URLSearchParams[] = [];
    const object = (key: string): string =>
      `<Contents><Key>${key}</Key><LastModified>2026-11-01T00:00:00.000Z</LastModified></Contents>`;
    const pages = [
      `${object('a &amp; b/x')}${object('a &amp; b/y z')}<NextContinuationToken>t+/=</NextContinuationToken>`,
      object('a &amp; b/z'),
    ];
    const stub = createServer(({ url = '' }, response) => {
      queries.push(new URL(url, 'http://here').searchParams);
      const page = pages[queries.length - 1] ?? '';
      const isCut = page.includes('NextContinuationToken');
      response.end(`<ListBucketResult><IsTruncated>${isCut}</IsTruncated>${page}</ListBucketResult>`);
    });
    await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = stub.address() as AddressInfo;
      const bucket = openBucket({ ...s3.settings, endpoint: `http://127.0.0.1:${port}`, prefix: 'a & b/' });
      const first = await bucket.list();
      const storedAt = Date.UTC(2026, 10, 1);
      expect(first).toEqual({ objects: ['x', 'y z'].map((name) => ({ name, storedAt })), next: 't+/=' });
      expect(await bucket.list(first.next)).toEqual({ objects: [{ name: 'z', storedAt }] });
      expect(
        queries.map((query) => [query.get('list-type'), query.get('prefix'), query.get('continuation-token')]),
      ).toEqual([
        ['2', 'a & b/', null],
        ['2', 'a & b/', 't+/='],
      ]);
    } finally {
      stub.close();
    }
  });

  test('reports a missing bucket, a rejected key and a refused connection, without the key', async () => {
    const refused = async (more: object): Promise<unknown> => {
      const bucket = openBucket({ ...s3.settings, ...more });
      return Promise.all([bucket.check(), bucket.put('x', SOUND, SHA)]).catch((error: unknown) => error);
    };
    expect(await refused({ bucket: 'nowhere' })).toMatchObject({ problem: 'not_there' });
    const wrong = await refused({ accessKeyId: 'nobody', secretAccessKey: 'quite wrong' });
    expect(wrong).toMatchObject({ problem: 'not_allowed', code: 'bad_config' });
    expect(String(wrong)).not.toContain('quite wrong');
    expect(await refused({ endpoint: 'http://127.0.0.1:9' })).toMatchObject({
      problem: 'unreachable',
      message: expect.stringMatching(/^The bucket files at 127\.0\.0\.1:9 cannot be reached/) as string,
    });
  });
});

describeOnDatabases('blobs of a database, in a bucket', (cluster) => {
  let url: string;
  let storage: DatabaseStorage;
  beforeEach(async () => {
    url = await cluster().createDatabase();
    storage = await openStorage({ url, clock, files: s3.settings });
  });
  afterEach(() => storage.close());

  const inTable = () =>
    cluster().query(url, 'SELECT length(bytes) AS length, object_name IS NULL AS here FROM blob_bytes');

  test('are stored once for all owners, read, and deleted with the last', async () => {
    await Promise.all([storage.blobs.put(ANNE, SOUND, of), storage.blobs.put(BERT, SOUND, of)]);
    expect(await inTable()).toEqual([{ length: 0, here: false }]);
    expect(await storage.blobs.read(ANNE, SHA)).toEqual(SOUND);
    expect(await storage.check()).toEqual({ ok: true });
    const [row] = await cluster().query(url, 'SELECT object_name FROM blob_bytes');
    expect(await storage.blobs.remove(ANNE, SHA)).toBe(true);
    expect(await storage.blobs.read(BERT, SHA)).toEqual(SOUND);
    expect(await storage.sweepBlobs({ unusedSince: 9 })).toBe(1);
    expect(await storage.blobs.read(BERT, SHA)).toBeNull();
    expect(await openBucket(s3.settings).get(String(row?.['object_name']))).toBeNull();
  });

  test('stay readable for one owner while another removes them', async () => {
    await storage.blobs.put(ANNE, SOUND, of);
    for (let round = 0; round < 8; round++) {
      const [owner, other] = round % 2 === 0 ? [ANNE, BERT] : [BERT, ANNE];
      await Promise.all([storage.blobs.remove(owner, SHA), storage.blobs.put(other, SOUND, of)]);
      expect(await storage.blobs.read(other, SHA)).toEqual(SOUND);
      await storage.blobs.remove(owner, SHA);
    }
    expect(await storage.check()).toEqual({ ok: true });
  });

  test('objects without a row are swept once they are old, and nothing else', async () => {
    const files = { ...s3.settings, prefix: 'swept/' };
    const bucket = openBucket(files);
    const mine = await openStorage({ url, clock, files });
    try {
      const day = 86_400_000;
      await mine.blobs.put(ANNE, SOUND, { ...of, at: Date.now() + 2 * day });
      const [row] = await cluster().query(url, 'SELECT object_name FROM blob_bytes');
      // Leftovers of a process that exits before it inserts the row: of new bytes, and of existing ones.
      const strays = ['1'.repeat(64), SHA].map((sha) => `${sha.slice(0, 2)}/${sha}.${randomUUID()}`);
      for (const name of [...strays, 'notes.txt']) await bucket.put(name, NOTHING, NO_SHA);
      expect(await mine.sweepBlobs({ unusedSince: Date.now() - day })).toBe(0);
      expect(await mine.sweepBlobs({ unusedSince: Date.now() + day })).toBe(2);
      const remaining = (await bucket.list()).objects.map(({ name }) => name);
      expect(remaining.toSorted()).toEqual([String(row?.['object_name']), 'notes.txt'].toSorted());
      expect(await mine.blobs.read(ANNE, SHA)).toEqual(SOUND);
    } finally {
      await mine.close();
    }
  });

  test('a bucket that is down leaves no row; the error says so, and uploads work again afterwards', async () => {
    await storage.blobs.put(ANNE, SOUND, of);
    await s3.stop();
    const note = new Uint8Array([1]);
    try {
      await expect(storage.blobs.put(ANNE, note, of)).rejects.toMatchObject({ problem: 'unreachable' });
      await expect(storage.blobs.read(ANNE, SHA)).rejects.toMatchObject({ problem: 'unreachable' });
      await expect(openStorage({ url, clock, files: s3.settings })).rejects.toMatchObject({ problem: 'unreachable' });
    } finally {
      await s3.start();
    }
    expect(await storage.blobs.info(ANNE, createHash('sha256').update(note).digest('hex'))).toBeNull();
    await storage.blobs.put(ANNE, note, of);
    expect(await storage.blobs.read(ANNE, SHA)).toEqual(SOUND);
  });

  test('a missing or changed object is reported by the check and on read', async () => {
    await storage.blobs.put(ANNE, SOUND, of);
    const [row] = await cluster().query(url, 'SELECT object_name FROM blob_bytes');
    const name = String(row?.['object_name']);
    const bucket = openBucket(s3.settings);
    const other = new Uint8Array([2]);
    await bucket.put(name, other, createHash('sha256').update(other).digest('hex'));
    expect(await storage.check()).toEqual({ ok: false, problems: [expect.stringContaining('not match its hash')] });
    await bucket.remove(name);
    expect(await storage.check()).toEqual({
      ok: false,
      problems: [expect.stringContaining('is missing from the bucket')],
    });
    await expect(storage.blobs.read(ANNE, SHA)).rejects.toThrow('is missing from the bucket files');
  });

  test('blobs stored before the bucket stay readable; without the bucket, the error says what is missing', async () => {
    const plain = await openStorage({ url, clock });
    try {
      const early = await plain.blobs.put(ANNE, new Uint8Array([3]), of);
      await storage.blobs.put(ANNE, SOUND, of);
      expect(await storage.blobs.read(ANNE, early.sha256)).toEqual(new Uint8Array([3]));
      expect(await storage.check()).toEqual({ ok: true });
      await expect(plain.blobs.read(ANNE, SHA)).rejects.toThrow('no bucket is configured');
      expect((await checkDatabaseAt(url)).result).toMatchObject({ ok: false });
      expect((await checkDatabaseAt(url, s3.settings)).result).toEqual({ ok: true });
    } finally {
      await plain.close();
    }
  });

  test('are copied from a folder to a database with a bucket, to one without, and back', async () => {
    const folder = temporaryFolder();
    try {
      const [from, back] = [join(folder.path, 'from'), join(folder.path, 'back')];
      const source = await openStorage({ folder: from, clock });
      await source.blobs.put(ANNE, SOUND, of);
      await source.blobs.put(BERT, new Uint8Array([4]), of);
      source.close();
      const bucketed = await cluster().createDatabase();
      const copied = await copyStorage({ folder: from }, { url: bucketed, files: s3.settings }, { clock });
      expect(copied).toMatchObject({ blobs: 2, unreadableBlobs: [] });
      expect((await checkDatabaseAt(bucketed, s3.settings)).result).toEqual({ ok: true });
      const [{ objects } = { objects: 0 }] = await cluster().query(
        bucketed,
        'SELECT CAST(count(object_name) AS INTEGER) AS objects FROM blob_bytes WHERE length(bytes) = 0',
      );
      expect(objects).toBe(2);
      await copyStorage({ url: bucketed, files: s3.settings }, { folder: back }, { clock });
      const plain = await cluster().createDatabase();
      await copyStorage({ folder: back }, { url: plain }, { clock });
      const last = await openStorage({ url: plain, clock });
      expect(await last.blobs.read(ANNE, SHA)).toEqual(SOUND);
      await last.close();
      await expect(copyStorage({ url: bucketed }, { folder: join(folder.path, 'x') }, { clock })).rejects.toThrow(
        'no bucket is configured',
      );
    } finally {
      folder.remove();
    }
  });
});
