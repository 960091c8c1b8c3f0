import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFakeClock } from '@toolyard/testing';
import { DATABASE_FILE } from '../layout.ts';
import { openStorage } from '../open-storage.ts';
import { ANNE } from '../test-fixtures/conversation.ts';
import { temporaryFolder } from '../test-fixtures/sqlite-engine.ts';

test('the write-ahead log is truncated after large writes, once nothing is written', async () => {
  const folder = temporaryFolder();
  const clock = createFakeClock();
  const storage = await openStorage({ folder: folder.path, clock });
  const walBytes = (): number => statSync(join(folder.path, `${DATABASE_FILE}-wal`)).size;
  const write = (at: number) => storage.settings.set(ANNE, 'large', 'x'.repeat(8_000_000), at);
  await write(1);
  await clock.advance(10_000);
  await write(2);
  await clock.advance(10_000);
  expect(walBytes()).toBeGreaterThan(8_000_000);
  await clock.advance(10_000);
  expect(walBytes()).toBe(0);
  expect(await storage.settings.get(ANNE, 'large')).toHaveLength(8_000_000);
  storage.close();
  folder.remove();
});
