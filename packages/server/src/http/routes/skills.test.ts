import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SkillList } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import { useDocumentedServer } from '../test-fixtures/documented.ts';

const { ask, post, patch } = useDocumentedServer();

test('skills: lists, shows and switches those of the workspace of a conversation', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'toolyard-skill-routes-'));
  const folder = join(workspace, '.agents/skills/notes');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), '---\nname: notes\ndescription: Notes.\n---\nText.\n');
  await post('/api/conversations', { id: 'c1', configuration: { workspace } });
  expect((await ask('/api/skills')).json).toMatchObject({ items: [], workspace: null });
  const { items } = (await ask('/api/skills?conversation=c1')).json as unknown as SkillList;
  const [{ id, digest } = { id: '', digest: '' }] = items;
  const path = `/api/skills/${encodeURIComponent(id)}`;
  expect((await ask(`${path}?conversation=c1`)).json).toMatchObject({
    state: 'off',
    text: expect.stringContaining('Text.'),
  });
  expect((await ask(`${path}/file?conversation=c1&path=SKILL.md`)).json).toMatchObject({ size: 46 });
  expect((await ask(`${path}/file?conversation=c1&path=../x`)).status).toBe(404);
  expect((await ask(path)).status).toBe(404);
  expect(await patch(path, { enabled: true, conversation: 'c1' })).toMatchObject({ status: 400 });
  const old = { enabled: true, digest: `sha256:${'0'.repeat(64)}`, conversation: 'c1' };
  expect(await patch(path, old)).toMatchObject({ status: 409 });
  expect((await patch(path, { ...old, digest })).json).toMatchObject({ state: 'on', confirmedDigest: digest });
  expect((await patch(path, { enabled: false, conversation: 'c1' })).json).toMatchObject({ state: 'off' });
  rmSync(workspace, { recursive: true, force: true });
});
