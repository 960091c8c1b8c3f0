import { expect, test } from 'vitest';
import { createFakeClock } from '@toolyard/testing';
import { keepFilesOfRun } from './keep-files.ts';

const principal = { ownerId: 'anne' };
const bytes = (size: number): Uint8Array => new Uint8Array(size);

test('stores files of tools up to the limits of one file, of a run and of a day', async () => {
  const clock = createFakeClock();
  let ofDay = 0;
  const blobs = {
    put: async (
      _owner: object,
      { byteLength: size }: Uint8Array,
      { mimeType, at }: { mimeType: string; at: number },
    ) => {
      ofDay += size;
      return await Promise.resolve({ sha256: 'hash', size, mimeType, createdAt: at });
    },
    sizeSince: async (_owner: object, since: number) => {
      expect(since % 86_400_000).toBe(0);
      return await Promise.resolve(ofDay);
    },
  };
  const limits = { file: 2_000_000, run: 5_000_000, day: 9_000_000 };
  const open = () => keepFilesOfRun({ storage: { blobs }, principal, clock, limits });

  const first = open();
  expect(await first(bytes(2_000_001), 'a/b')).toEqual({ refused: 'one file of a tool may have at most 2 MB' });
  expect(await first(bytes(2_000_000), 'a/b')).toMatchObject({ sha256: 'hash' });
  expect(await first(bytes(2_000_000), 'a/b')).toMatchObject({ sha256: 'hash' });
  expect(await first(bytes(2_000_000), 'a/b')).toEqual({ refused: 'the files of one run may have at most 5 MB' });
  const second = open();
  expect(await second(bytes(2_000_000), 'a/b')).toMatchObject({ sha256: 'hash' });
  expect(await second(bytes(2_000_000), 'a/b')).toMatchObject({ sha256: 'hash' });
  expect(await open()(bytes(1_000_001), 'a/b')).toEqual({ refused: 'the files of one day may have at most 9 MB' });
});
