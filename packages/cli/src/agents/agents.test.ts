import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentView } from '@toolyard/protocol';
import { reply, startModelServer } from '@toolyard/testing';
import { afterEach, expect, it } from 'vitest';
import { runCommand } from '../test-fixtures/run-command.ts';
import { Served } from '../test-fixtures/served.ts';

let served: Served | undefined;
afterEach(async () => {
  await served?.[Symbol.asyncDispose]();
  served = undefined;
});

it('imports, lists, shows, exports and deletes agents, and chats with one by its name', async () => {
  await using model = await startModelServer(() => reply.text('Arr.'));
  served = await Served.start({ model: model.url });
  const { dataDir } = served;
  const at = ['--data-dir', dataDir];
  expect((await runCommand(['agents', 'list', ...at])).stderr).toMatch(/No agents/);

  const file = join(dataDir, 'pirate.json');
  const config = { systemRole: 'Talk like a pirate.', plugins: ['web'] };
  writeFileSync(file, JSON.stringify({ meta: { title: 'Pirate', tags: ['fun'], description: 'Says arr' }, config }));
  const imported = await runCommand(['agents', 'import', file, ...at]);
  expect(imported).toMatchObject({ code: 0, stderr: 'toolyard: Pirate: not imported: tools.\n' });
  expect(imported.stdout).toMatch(/^\S+ {2}Pirate\n$/);
  expect((await runCommand(['agents', 'list', ...at])).stdout).toMatch(/^\S+ +Pirate +Says arr$/m);
  const shown = await runCommand(['agents', 'show', 'pirate', ...at]);
  expect(shown.stdout).toMatch(/^Tags +fun$/m);
  expect(shown.stdout).toMatch(/\n\nTalk like a pirate\.\n$/);
  const view = JSON.parse((await runCommand(['agents', 'show', 'Pirate', '--json', ...at])).stdout) as AgentView;
  expect(view.configuration).toEqual({ instructions: 'Talk like a pirate.' });
  const card = await runCommand(['agents', 'export', view.id, '--format', 'character-card', ...at]);
  expect(JSON.parse(card.stdout)).toMatchObject({ spec: 'chara_card_v3', data: { name: 'Pirate' } });

  const chat = await runCommand(['chat', 'Hello', '--agent', 'pirate', ...at]);
  expect(chat).toMatchObject({ code: 0, stdout: expect.stringMatching(/Arr\./) as string });
  expect(chat.stderr).toMatch(/agent: Pirate/);
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Talk like a pirate.');

  const broken = join(dataDir, 'broken.json');
  writeFileSync(broken, '{\n"meta": }');
  const failed = await runCommand(['agents', 'import', broken, ...at]);
  expect(failed.code).not.toBe(0);
  expect(failed.stderr).toMatch(/Invalid JSON in the file at line 2, column 9/);
  await runCommand(['agents', 'import', file, ...at]);
  expect((await runCommand(['agents', 'delete', 'Pirate', ...at])).stderr).toMatch(/2 agents have the name/);
  expect((await runCommand(['agents', 'delete', view.id, ...at])).stderr).toMatch(/deleted Pirate/);
  expect((await runCommand(['chat', 'Hello', '--agent', 'nobody', ...at])).stderr).toMatch(
    /There is no agent "nobody"/,
  );
});
