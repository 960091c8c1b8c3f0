import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { needs, UNIX } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { certificateMounts, linksOn, programMounts } from './machine-files.ts';

/** `base/home/.ssh/key` must stay hidden; `base/project` is writable for the server. */
let base = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'toolyard-files-')));
  write('home/.ssh/key', 'secret');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(path: string, text: string, mode = 0o644): string {
  const file = join(base, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

const mounted = (command: string): string[] =>
  programMounts(command, '/usr/bin', join(base, 'home')).map(({ source }) => source.slice(base.length + 1));

describe('program mounts', needs(UNIX), () => {
  test('exclude an interpreter that is not executable', () => {
    const key = join(base, 'home/.ssh/key');
    expect(mounted(write('project/run', `#!${key}\n`, 0o755))).toEqual(['project/run']);
    expect(mounted(write('project/env', `#!/usr/bin/env -u ${key} node\n`, 0o755))).toEqual(['project/env']);
    const interpreter = write('tools/run', '', 0o755);
    expect(mounted(write('project/good', `#!${interpreter}\n`, 0o755))).toEqual(['project/good', 'tools/run']);
  });

  test('of a virtual environment include the library of its Python and no other folder', () => {
    const python = write('project/venv/bin/python', '', 0o755);
    write('project/venv/pyvenv.cfg', `home = ${join(base, 'home/.ssh/bin')}\n`);
    expect(mounted(python)).toEqual(['project/venv']);
    write('tools/python/bin/python3', '', 0o755);
    write('tools/python/lib/python3.12/os.py', '');
    write('tools/python/secret', '');
    write('project/venv/pyvenv.cfg', `home = ${join(base, 'tools/python/bin')}\n`);
    expect(mounted(python)).toEqual(['project/venv', 'tools/python/bin', 'tools/python/lib']);
  });

  test('exclude a library that links to the home folder', () => {
    write('home/node_modules/x', '');
    const command = write('project/bin/run', '', 0o755);
    symlinkSync(join(base, 'home'), join(base, 'project/lib'));
    expect(mounted(command)).toEqual(['project/bin', 'project/bin/run']);
  });

  test('certificates come from the given variables', () => {
    const file = write('company.pem', '');
    const mounts = certificateMounts({ NODE_EXTRA_CA_CERTS: file, OTHER: join(base, 'home/.ssh') }, join(base, 'home'));
    expect(mounts).toEqual([{ path: file, source: file }]);
  });
});

test('finds the links in a path with their locations', needs(UNIX), () => {
  mkdirSync(join(base, 'project'));
  symlinkSync('project', join(base, 'near'));
  symlinkSync('../home/.ssh', join(base, 'project/data'));
  symlinkSync('loop', join(base, 'loop'));
  expect(linksOn(join(base, 'near/data/key'))).toEqual([join(base, 'near'), join(base, 'project/data')]);
  expect(linksOn(join(base, 'project'))).toEqual([]);
  expect(linksOn(join(base, 'loop')).length).toBeLessThan(50);
});
