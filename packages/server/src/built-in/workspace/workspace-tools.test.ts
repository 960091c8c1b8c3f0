import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FunctionTool, ToolContext } from '@toolyard/agent-host';
import type { JsonObject } from '@toolyard/protocol';
import { messageOf } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFileTools } from './file-tools.ts';
import { openWorkspace, toRoots } from './workspace-path.ts';

let folder: string;
let workspace: string;
let tools: readonly FunctionTool[];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolyard-workspace-')));
  workspace = join(folder, 'work');
  mkdirSync(join(workspace, 'src'), { recursive: true });
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  writeFileSync(join(workspace, 'src', 'a.ts'), 'const a = 1;\nconst b = 2;\n');
  writeFileSync(join(workspace, 'notes.md'), '# Notes\n');
  ({ tools } = createFileTools([join(folder, 'data')]));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The text of the result, or the message of the error. */
async function call(name: string, args: JsonObject, of: string | undefined = workspace): Promise<string> {
  const context: ToolContext = {
    signal: new AbortController().signal,
    progress: () => undefined,
    ask: () => Promise.reject(new Error('not asked')),
    ...(of === undefined ? {} : { workspace: of }),
  };
  const found = tools.find((each) => each.name === name);
  try {
    const output = await found?.run(args, context);
    return typeof output === 'string' ? output : JSON.stringify(output);
  } catch (thrown) {
    return `error: ${messageOf(thrown)}`;
  }
}

function findDiff(name: string, args: JsonObject): string | undefined {
  return tools.find((each) => each.name === name)?.diff(args, { workspace });
}

describe('the files of a workspace', () => {
  test('are listed, read and searched', async () => {
    expect(await call('list_files', {})).toBe('notes.md\nsrc/\nsrc/a.ts');
    expect(await call('list_files', { path: 'src', depth: 1 })).toBe('src/a.ts');
    expect(await call('read_file', { path: 'src/a.ts', line: 2, lines: 1 })).toBe('const b = 2;\n[up to line 2 of 3]');
    expect(await call('search_files', { text: 'CONST B' })).toBe('src/a.ts:2: const b = 2;');
    expect(await call('search_files', { text: 'nothing like it' })).toMatch(/is in none of 2 files/);
    expect(await call('search_files', { text: 'notes', extension: 'md' })).toBe('notes.md\nnotes.md:1: # Notes');
  });

  test('are written and edited, with a diff to approve', async () => {
    const edit = { path: 'src/a.ts', old_text: 'b = 2', new_text: 'b = $& + 3' };
    expect(findDiff('edit_file', edit)).toBe('  const a = 1;\n- const b = 2;\n+ const b = $& + 3;');
    expect(await call('edit_file', edit)).toBe('Changed: src/a.ts.');
    expect(readFileSync(join(workspace, 'src/a.ts'), 'utf8')).toBe('const a = 1;\nconst b = $& + 3;\n');
    expect(await call('edit_file', { ...edit, old_text: 'const' })).toMatch(/occurs 2 times .* nothing was changed/);
    const write = { path: 'new/folder/b.txt', content: 'one\ntwo' };
    expect(findDiff('write_file', write)).toBe('+ one\n+ two');
    expect(await call('write_file', write)).toBe('Written: new/folder/b.txt (2 lines).');
    expect(await call('read_file', { path: 'new/folder/b.txt' })).toBe('one\ntwo');
    expect(findDiff('write_file', { path: 'notes.md', content: '# Notes\nmore\n' })).toBe('  # Notes\n+ more');
  });

  test.each([
    '../secret.txt',
    'src/../../secret.txt',
    '/etc/passwd',
    './/..//secret.txt',
    'link.txt',
    'out/secret.txt',
    'out/../../secret.txt',
  ])('are the only ones: %s is refused', async (path) => {
    symlinkSync(join(folder, 'secret.txt'), join(workspace, 'link.txt'));
    symlinkSync(folder, join(workspace, 'out'));
    for (const [name, args] of [
      ['read_file', { path }],
      ['write_file', { path, content: 'overwritten' }],
      ['edit_file', { path, old_text: 'secret', new_text: 'overwritten' }],
      ['list_files', { path }],
      ['search_files', { path, text: 'secret' }],
    ] as const) {
      expect([name, await call(name, args)]).toEqual([
        name,
        expect.stringMatching(/^error: .*(outside|link)|is in none of 0/),
      ]);
    }
    expect(readFileSync(join(folder, 'secret.txt'), 'utf8')).toBe('secret');
    expect(await call('search_files', { text: 'secret' })).toMatch(/is in none/);
    expect(findDiff('write_file', { path, content: 'x' })).toBe('+ x');
  });

  test('are not reached by another name of a file outside (a hard link)', async () => {
    linkSync(join(folder, 'secret.txt'), join(workspace, 'hard.txt'));
    const edit = { path: 'hard.txt', old_text: 'secret', new_text: 'x' };
    for (const [name, args] of [
      ['read_file', { path: 'hard.txt' }],
      ['write_file', { path: 'hard.txt', content: 'x' }],
      ['edit_file', edit],
      ['search_files', { path: 'hard.txt', text: 'secret' }],
    ] as const) {
      expect([name, await call(name, args)]).toEqual([name, expect.not.stringMatching(/^hard.txt|1: secret/)]);
    }
    expect(await call('read_file', { path: 'hard.txt' })).toMatch(/^error: hard.txt has several names/);
    expect(await call('search_files', { text: 'secret' })).toMatch(/is in none/);
    expect(findDiff('write_file', { path: 'hard.txt', content: 'x' })).toBe('+ x');
    expect(readFileSync(join(folder, 'secret.txt'), 'utf8')).toBe('secret');
  });

  test('are not those of the system', async () => {
    for (const path of ['/proc', '/proc/self', '/sys/kernel', '/dev', '/dev/shm', '/run']) {
      if (existsSync(path))
        expect(() => openWorkspace(path, [])).toThrow(/is a folder of the system|cannot be a workspace/);
    }
    symlinkSync('/proc', join(folder, 'processes'));
    expect(() => openWorkspace(join(folder, 'processes'), [])).toThrow('is a folder of the system');
  });

  test.each([
    ['the folder itself', []],
    ['a folder above it', ['deep']],
    ['a folder further above', ['deep', 'er']],
  ])('are out of reach once %s leads elsewhere, until that folder is chosen', async (_what, below) => {
    const top = join(folder, 'chosen');
    const chosen = join(top, ...below);
    mkdirSync(chosen, { recursive: true });
    writeFileSync(join(chosen, 'mine.txt'), 'mine');
    expect(await call('list_files', {}, chosen)).toBe('mine.txt');
    mkdirSync(join(folder, 'private', ...below), { recursive: true });
    writeFileSync(join(folder, 'private', ...below, 'key.txt'), 'secret');
    renameSync(top, join(folder, 'renamed'));
    symlinkSync(join(folder, 'private'), top);
    const target = join(folder, 'private', ...below);
    for (const [name, args] of [
      ['list_files', {}],
      ['read_file', { path: 'key.txt' }],
      ['write_file', { path: 'made.txt', content: 'x' }],
      ['search_files', { text: 'secret' }],
    ] as const) {
      expect([name, await call(name, args, chosen)]).toEqual([
        name,
        `error: The workspace ${chosen} leads to ${target} through a symbolic link. If that folder is intended, choose it by this path.`,
      ]);
    }
    expect(toRoots(chosen, undefined)).toEqual([]);
    expect(existsSync(join(target, 'made.txt'))).toBe(false);
    expect(await call('read_file', { path: 'key.txt' }, target)).toMatch(/secret/);
    // A link to the same folder is one that can be changed later.
    expect(await call('list_files', {}, join(folder, 'renamed', ...below))).toBe('mine.txt');
  });

  test('are not written through a new folder behind a link', async () => {
    symlinkSync(folder, join(workspace, 'out'));
    expect(await call('write_file', { path: 'out/made/x.txt', content: 'x' })).toMatch(/^error: .*outside/);
    expect(await call('list_files', { path: '../..' })).toMatch(/outside/);
    expect(() => readFileSync(join(folder, 'made', 'x.txt'))).toThrow('ENOENT');
  });

  test('stay the only ones while another process replaces a folder by a link', async () => {
    writeFileSync(join(folder, 'a.ts'), 'outside');
    const [src, away] = [join(workspace, 'src'), join(workspace, 'away')];
    let swaps = 0;
    /** Every other time the folder is a link; a call may have created the folder in between. */
    const swap = (): void => {
      try {
        if (existsSync(away)) {
          rmSync(src, { recursive: true, force: true });
          renameSync(away, src);
        } else {
          renameSync(src, away);
          symlinkSync(folder, src);
          swaps++;
        }
      } catch (thrown) {
        expect(messageOf(thrown)).toMatch(/EEXIST|ENOTEMPTY|ENOENT/);
      }
    };
    const timer = setInterval(swap, 1);
    try {
      const answers = new Set<string>();
      await eventually(async () => {
        answers.add(await call('read_file', { path: 'src/a.ts' }));
        await call('write_file', { path: 'src/a.ts', content: 'inside' });
        expect(answers).not.toContain('outside');
        return swaps > 50 && [...answers].some((text) => text.includes('outside of the workspace'));
      });
    } finally {
      clearInterval(timer);
    }
    expect(readFileSync(join(folder, 'a.ts'), 'utf8')).toBe('outside');
  });

  test('are regular text files with one name', async () => {
    linkSync(join(folder, 'secret.txt'), join(workspace, 'hard.txt'));
    execFileSync('mkfifo', [join(workspace, 'pipe')]);
    writeFileSync(join(workspace, 'binary'), Buffer.from([1, 0, 2]));
    writeFileSync(join(workspace, 'latin'), Buffer.from([0xe4, 0xff]));
    expect(await call('write_file', { path: 'hard.txt', content: 'x' })).toMatch(/several names/);
    expect(readFileSync(join(folder, 'secret.txt'), 'utf8')).toBe('secret');
    expect(await call('read_file', { path: 'pipe' })).toMatch(/not a regular file/);
    // Opening it to show what would change must not wait for its other end.
    expect(findDiff('write_file', { path: 'pipe', content: 'x' })).toBe('+ x');
    expect(await call('read_file', { path: 'binary' })).toMatch(/not a text file/);
    expect(await call('read_file', { path: 'latin' })).toMatch(/not UTF-8/);
    expect(await call('read_file', { path: 'src' })).toMatch(/is a folder|not a regular file/);
    expect(await call('read_file', { path: 'a\0b' })).toMatch(/NUL/);
    expect(await call('read_file', { path: 'none.txt' })).toBe('error: none.txt does not exist.');
  });

  test('need a folder that is not the root and has no data of Toolyard', async () => {
    expect(await call('list_files', {}, undefined)).toMatch(/notes.md/);
    for (const [bad, why] of [
      ['/', /root of the file system/],
      [folder, /contains the data of Toolyard/],
      [join(folder, 'data'), /contains the data of Toolyard/],
      [join(folder, 'none'), /is not a folder/],
      ['relative', /has no workspace/],
      ['', /has no workspace/],
    ] as const) {
      expect(await call('list_files', {}, bad)).toMatch(why);
    }
  });
});
