import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { sharedFolder } from './shared-folder.ts';
import { MACHINE_TMP_VARIABLE, RUN_VARIABLE } from './test-run.ts';

let tmp: string;

beforeEach(() => {
  const machine = mkdtempSync(join(tmpdir(), 'toolyard-shared-'));
  onTestFinished(() => rmSync(machine, { recursive: true, force: true }));
  tmp = machine;
  vi.stubEnv('TMPDIR', tmp);
  vi.stubEnv(MACHINE_TMP_VARIABLE, tmp);
  vi.stubEnv(RUN_VARIABLE, undefined);
});

test('is created once, by one of several concurrent callers', async () => {
  let fills = 0;
  const make = () =>
    sharedFolder('thing-1', async (unfinished) => {
      fills++;
      writeFileSync(join(unfinished, 'file'), 'whole');
    });
  const folders = await Promise.all([make(), make(), make()]);
  expect(fills).toBe(1);
  expect(new Set(folders).size).toBe(1);
  expect(readFileSync(join(folders[0], 'file'), 'utf8')).toBe('whole');
  expect(readdirSync(tmp)).toHaveLength(1);
});

test('leaves nothing behind after a failure, and succeeds on the next attempt', async () => {
  await expect(sharedFolder('thing-1', () => Promise.reject(new Error('offline')))).rejects.toThrow('offline');
  expect(readdirSync(tmp)).toEqual([]);
  expect(existsSync(await sharedFolder('thing-1', async () => {}))).toBe(true);
});

test('ignores the lock of a killed process', async () => {
  const folder = await sharedFolder('thing-1', async () => {});
  rmSync(folder, { recursive: true });
  writeFileSync(`${folder}.lock`, String(2 ** 30));
  expect(await sharedFolder('thing-1', async () => {})).toBe(folder);
  expect(readdirSync(tmp)).toHaveLength(1);
});

test('deletes a folder that a killed process left unfinished', async () => {
  const folder = await sharedFolder('thing-1', async () => {});
  rmSync(folder, { recursive: true });
  mkdirSync(`${folder}.unfinished-${2 ** 30}`);
  expect(await sharedFolder('thing-1', async () => {})).toBe(folder);
  expect(readdirSync(tmp)).toHaveLength(1);
});

// The folder of a test run may be on tmpfs: a rename to the disk fails.
test('is filled next to its final location, whatever TMPDIR is', async () => {
  vi.stubEnv('TMPDIR', join(tmp, 'missing'));
  expect(existsSync(await sharedFolder('thing-1', async () => {}))).toBe(true);
});
