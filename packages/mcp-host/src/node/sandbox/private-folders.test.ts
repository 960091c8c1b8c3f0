import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@toolyard/protocol';
import { isAlive, needs, UNIX, within } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PrivateFolders } from './private-folders.ts';
import { deleteOtherPrivateFolders, deletePrivateFolder, makePrivateFolder } from './private-folders.ts';

let base = '';
let place: PrivateFolders = {};
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'toolyard-private-')));
  place = { stateFolder: join(base, 'state'), listedIn: join(base, 'data') };
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(base, 'outside/kept'), 'x');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const make = (serverId: string, command = 'node', at = place): string =>
  makePrivateFolder(at, serverId, { type: 'stdio', command });

describe('private folders', needs(UNIX), () => {
  test('are deleted with their server, including read-only folders and links in them', async () => {
    const folder = make('files');
    const other = make('other');
    const another = make('files', 'npx');
    mkdirSync(join(folder, 'modules/deep'), { recursive: true });
    writeFileSync(join(folder, 'modules/deep/file'), 'x', { mode: 0o444 });
    for (const name of ['modules/deep', 'modules']) chmodSync(join(folder, name), 0o555);
    symlinkSync(join(base, 'outside'), join(folder, 'out'));
    await deletePrivateFolder(place, 'files', systemClock);
    expect([folder, another, other].map(existsSync)).toEqual([false, false, true]);
    expect(existsSync(join(base, 'outside/kept'))).toBe(true);
    await deletePrivateFolder(place, 'never-started', systemClock);
  });

  test('of unlisted servers are deleted, and nothing else', async () => {
    const [listed, gone] = [make('listed'), make('gone')];
    const unlisted = make('of-a-flag', 'node', { stateFolder: join(base, 'state') });
    const elsewhere = make('gone', 'node', { ...place, listedIn: join(base, 'other-data') });
    const folder = join(listed, '../..');
    writeFileSync(join(folder, 'note.txt'), 'x');
    symlinkSync(join(base, 'outside'), join(folder, 'a'.repeat(24)));
    await deleteOtherPrivateFolders(place, ['listed']);
    expect(existsSync(gone)).toBe(false);
    for (const kept of [listed, unlisted, elsewhere, join(folder, 'note.txt'), join(base, 'outside/kept')]) {
      expect([kept, existsSync(kept)]).toEqual([kept, true]);
    }
  });

  test('in use by a process are kept until it exits', async () => {
    const folder = make('busy');
    const child = spawn('sleep', ['60'], { env: { PATH: process.env['PATH'], HOME: folder }, stdio: 'ignore' });
    await deleteOtherPrivateFolders(place, []);
    expect(existsSync(folder)).toBe(true);
    const deleted = deletePrivateFolder(place, 'busy', systemClock);
    child.kill('SIGKILL');
    await within(once(child, 'exit'), { what: 'the exit of the process' });
    await deleted;
    expect([existsSync(folder), isAlive(child.pid ?? 0)]).toEqual([false, false]);
  });
});
