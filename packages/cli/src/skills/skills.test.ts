import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SkillList } from '@toolyard/protocol';
import { expect, it } from 'vitest';
import { runCommand } from '../test-fixtures/run-command.ts';
import { serveInProcess } from '../test-fixtures/serve-in-process.ts';

it('lists, shows and switches skills of a running server', async () => {
  await using served = await serveInProcess({ args: ['--no-date'] });
  const { dataDir } = served;
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(dataDir, 'skills', path)), { recursive: true });
    writeFileSync(join(dataDir, 'skills', path), text);
  };
  write('notes/SKILL.md', '---\nname: notes\ndescription: Writes notes.\n---\nWrite.\u001b[31m\n');
  write('bad/SKILL.md', 'No frontmatter');
  const run = (...args: string[]) => runCommand(['skills', ...args, '--data-dir', dataDir]);

  const listed = await run('list');
  expect(listed.stdout).toMatch(/^notes {2}data folder {2}on {2}sha256:[0-9a-f]{12} {2}Writes notes\.\n$/);
  expect(listed.stderr).toContain('set aside: data folder, bad, line 1: SKILL.md must begin with frontmatter');
  const { items } = JSON.parse((await run('list', '--json')).stdout) as SkillList;
  expect(items).toMatchObject([{ id: 'data:notes', state: 'on' }]);

  const shown = await run('show', 'notes');
  expect(shown.stdout).toContain(`digest  ${items[0]?.digest ?? ''}`);
  expect(shown.stdout).toMatch(/description: Writes notes\.\n---\nWrite\.\[31m\n$/);

  write('notes/more.md', 'More.\n');
  expect((await run('list')).stdout).toContain('changed');
  expect((await run('show', 'notes', '--file', 'more.md')).stdout).toBe('More.\n');
  const stale = await run('on', 'notes', '--digest', items[0]?.digest ?? '');
  expect([stale.code, stale.stderr]).toEqual([1, expect.stringContaining('has changed since it was shown')]);
  expect((await run('on', 'data:notes')).stderr).toMatch(/switched on notes with sha256:[0-9a-f]{64}\./);
  expect((await run('off', 'notes')).stderr).toContain('switched off notes.');
  expect((await run('list')).stdout).toContain('off');
  const missing = await run('show', 'none');
  expect(missing.stderr).toContain('There is no skill "none".');
});
