import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFakeClock } from '@toolyard/testing';
import { temporaryFolder } from '../test-fixtures/sqlite-engine.ts';
import { SqliteConnection } from './connection.ts';
import { truncateWalWhenIdle } from './truncate-wal.ts';

test('the write-ahead log is truncated after large writes, once nothing is written', async () => {
  const folder = temporaryFolder();
  const clock = createFakeClock();
  const connection = new SqliteConnection(join(folder.path, 'test.db'));
  connection.database.exec('CREATE TABLE texts (text TEXT)');
  const stop = truncateWalWhenIdle(connection, (ms, work) => clock.after(ms, work));
  const walBytes = (): number => statSync(`${connection.file}-wal`).size;
  const insert = connection.prepare('INSERT INTO texts VALUES (?)');
  const write = (): unknown => connection.transaction('texts', 'normal', () => insert.run('x'.repeat(8_000_000)));
  write();
  await clock.advance(10_000);
  write();
  await clock.advance(10_000);
  expect(walBytes()).toBeGreaterThan(8_000_000);
  await clock.advance(10_000);
  expect(walBytes()).toBe(0);
  expect(connection.prepare('SELECT count(*) AS n FROM texts').get()).toEqual({ n: 2 });
  stop();
  connection.close();
  folder.remove();
});
