import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { localWorkspace, workspaceOnServer } from './workspace-folder.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolyard-workspace-flag-')));
mkdirSync(join(folder, 'work'));
writeFileSync(join(folder, 'file'), '');
symlinkSync(join(folder, 'work'), join(folder, 'link'));
afterAll(() => rmSync(folder, { recursive: true }));

test('is a folder, relative to the working folder, with links resolved', () => {
  expect(localWorkspace('work', folder)).toBe(join(folder, 'work'));
  expect(localWorkspace('./link', folder)).toBe(join(folder, 'work'));
  expect(workspaceOnServer('work', folder, 'http://127.0.0.1:8710')).toBe(join(folder, 'work'));
});

test.each(['file', 'missing', ''])('is not %j', (flag) => {
  expect(() => localWorkspace(flag, folder)).toThrow(/--workspace: .* is not a folder/);
});

test('on another machine is an absolute path, which is not checked here', () => {
  expect(workspaceOnServer('/srv/work', folder, 'https://desk.example:8710')).toBe('/srv/work');
  expect(workspaceOnServer('C:\\work', folder, 'https://desk.example')).toBe('C:\\work');
  expect(() => workspaceOnServer('work', folder, 'https://desk.example')).toThrow(/not an absolute path/);
});
