import type { AgentView, GroupView } from '@toolyard/protocol';
import { reply, startModelServer } from '@toolyard/testing';
import { afterEach, expect, it } from 'vitest';
import { runCommand } from '../test-fixtures/run-command.ts';
import { Served } from '../test-fixtures/served.ts';

let served: Served | undefined;
afterEach(async () => {
  await served?.[Symbol.asyncDispose]();
  served = undefined;
});

it('creates, lists, shows and deletes groups, and chats with one by its name', async () => {
  await using model = await startModelServer(({ body }) =>
    reply.text(JSON.stringify(body).includes('You are Ada') ? 'Blue.' : 'Red.'),
  );
  served = await Served.start({ model: model.url });
  const at = ['--data-dir', served.dataDir];
  for (const title of ['Ada', 'Bea'])
    await served.post<AgentView>('/api/agents', { title, configuration: { instructions: `You are ${title}` } });
  expect((await runCommand(['groups', 'list', ...at])).stderr).toMatch(/No groups/);

  const members = ['--member', 'ada', '--member', 'Bea'];
  const created = await runCommand(['groups', 'create', 'Painters', ...members, '--order', 'fixed', ...at]);
  expect(created.stdout).toMatch(/^\S+ {2}Painters\n$/);
  expect((await runCommand(['groups', 'list', ...at])).stdout).toMatch(/Painters +2 members +fixed order$/m);
  const shown = await runCommand(['groups', 'show', 'painters', ...at]);
  expect(shown.stdout).toMatch(/^Members +Ada, Bea$/m);
  const view = JSON.parse((await runCommand(['groups', 'show', 'Painters', '--json', ...at])).stdout) as GroupView;
  expect(view.mode).toEqual({ kind: 'fixed_order' });

  const chat = await runCommand(['chat', 'Which colour?', '--group', 'painters', ...at]);
  expect(chat).toMatchObject({ code: 0, stdout: 'Blue.\nRed.\n' });
  expect(chat.stderr).toMatch(/group: Painters[^]*Ada:[^]*Bea:/);

  const both = await runCommand([
    'groups',
    'create',
    'X',
    ...members,
    '--order',
    'fixed',
    '--supervisor',
    'Ada',
    ...at,
  ]);
  expect(both.stderr).toMatch(/--order cannot be combined with --supervisor/);
  expect((await runCommand(['groups', 'delete', 'Painters', ...at])).stderr).toMatch(/deleted Painters/);
  expect((await runCommand(['chat', 'Hello', '--group', 'Painters', ...at])).stderr).toMatch(/There is no group/);
});
