import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { MessagePage, ProviderView, RunRecord } from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';
import { eventually, reply, startModelServer } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { runCommand } from '../test-fixtures/run-command.ts';
import { Served } from '../test-fixtures/served.ts';

const SECRET = { TOOLYARD_SECRET: 'a passphrase of more than twenty characters' };

async function ask(served: Served, text: string): Promise<string[]> {
  const { run } = await served.post<{ run: RunRecord }>('/api/conversations/c/messages', {
    parts: [{ type: 'text', text }],
  });
  await eventually(async () => (await served.get<RunRecord>(`/api/runs/${run.id}`)).endedAt !== null);
  const { messages } = await served.get<MessagePage>('/api/conversations/c/messages');
  return messages.map(textOf);
}

describeOnDatabases('toolyard db with PostgreSQL', (cluster) => {
  it('copies a folder to a database and back: conversations go on there, with the stored key', async () => {
    await using model = Object.assign(await startModelServer(() => reply.text('Yes.'), { requireKey: 'sk-right' }), {
      [Symbol.asyncDispose]: () => model.close(),
    });
    const url = await cluster().createDatabase();
    const env = { DATABASE_URL: url };
    await using served = await Served.start();
    const { id: providerId } = await served.post<ProviderView>('/api/providers', {
      label: 'Keyed',
      baseUrl: model.url,
      apiKey: 'sk-right',
    });
    const configuration = { model: { providerId, modelId: 'scripted' } };
    await served.post('/api/conversations', { id: 'c', configuration });
    expect(await ask(served, 'one')).toEqual(['one', 'Yes.']);

    const words = ['db', 'copy', '--to', url, '--data-dir', served.dataDir];
    const early = await runCommand(words);
    expect(early.code).toBe(1);
    expect(early.stderr).toContain(`is in use by the Toolyard server at ${served.url}`);
    await served.stop();
    const copied = await runCommand(words);
    expect(copied.code, copied.stderr).toBe(0);
    expect(copied.stdout).toMatch(/Copied and compared: 1 conversations, 2 messages,/);
    const steps = copied.stderr.trim().split('\n');
    expect(new Set(steps).size).toBe(steps.length);
    expect([steps[0], ...steps.slice(-4)]).toEqual(
      ['files', 'file entries', 'comparing', 'making it searchable', 'reading the copied files'].map(
        (words) => `toolyard: ${words}`,
      ),
    );
    expect(`${copied.stdout}${copied.stderr}`).not.toMatch(/sk-right|a secret of/);
    await cluster().whenLeft(url);
    expect((await runCommand(words)).stderr).toContain('is not empty: it contains conversations');

    // Sealed with secret.key, which lies in the folder.
    await using there = await Served.start({ dataDir: served.dataDir, env: { ...env, ...SECRET } });
    expect(await ask(there, 'two')).toEqual(['one', 'Yes.', 'two', 'Yes.']);
    const checked = await runCommand(['db', 'check', '--database-url', url]);
    expect(checked.stdout).toMatch(/^the database ".*" at .*: nothing wrong was found/);
    const backup = await runCommand(['db', 'backup', join(served.folder, 'backup')], { env: { ...env } });
    expect(backup.code).toBe(1);
    expect(backup.stderr).toContain('pg_dump');
    const to = join(served.folder, 'back');
    const back = ['db', 'copy', '--from', '-', '--to-dir', to];
    const inUse = await runCommand(back, { env: { ...env } });
    expect(inUse.stderr).toMatch(/The database .* is in use: Toolyard has \d+ connections? to it/);
    await there.stop();
    await cluster().whenLeft(url);

    // Without secret.key: by now everything is sealed with TOOLYARD_SECRET.
    const copiedBack = await runCommand(back, { env: { ...env } });
    expect(copiedBack.code, copiedBack.stderr).toBe(0);
    await using again = await Served.start({ dataDir: to, env: SECRET });
    expect(await ask(again, 'three')).toEqual(['one', 'Yes.', 'two', 'Yes.', 'three', 'Yes.']);
  });

  it('says what is to be given, and what is no database of ours', async () => {
    expect((await runCommand(['db', 'copy'])).stderr).toContain('Either --to <url>');
    expect((await runCommand(['db', 'copy', '--to', '-'])).stderr).toContain('DATABASE_URL is not set');
    const url = await cluster().createDatabase();
    const checked = await runCommand(['db', 'check'], { env: { DATABASE_URL: url } });
    expect(checked.code).toBe(1);
    expect(checked.stderr).toContain('contains no Toolyard data');
  });
});
