import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MessagePage, ProviderView, RunRecord } from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';
import type { ModelServer } from '@toolyard/testing';
import { eventually, reply, startModelServer } from '@toolyard/testing';
import { runCommand } from '../test-fixtures/run-command.ts';
import { Served } from '../test-fixtures/served.ts';

const TEXT = Array.from({ length: 80 }, (_none, at) => `word${at}`).join(' ');

/** A model that answers who knows the key; and a server that has it, with an answer under way that never ends there. */
async function atWork(): Promise<AsyncDisposable & { served: Served; model: ModelServer; runId: string }> {
  const held = new Promise(() => {});
  const model = await startModelServer(
    (_request, index) =>
      reply.text(TEXT, { pieces: 8, delayMs: 10, ...(index === 0 ? { hold: { until: held } } : {}) }),
    { requireKey: 'sk-right' },
  );
  const served = await Served.start();
  const provider = await served.post<ProviderView>('/api/providers', {
    label: 'Keyed',
    baseUrl: model.url,
    apiKey: 'sk-right',
  });
  const configuration = { model: { providerId: provider.id, modelId: 'scripted' } };
  await served.post('/api/conversations', { id: 'c', configuration });
  const image = { type: 'image', mimeType: 'image/png', source: { data: Buffer.alloc(100_000, 7).toString('base64') } };
  const parts = [{ type: 'text', text: 'Count' }, image];
  const { run } = await served.post<{ run: RunRecord }>('/api/conversations/c/messages', { parts });
  await served.answering();
  return {
    served,
    model,
    runId: run.id,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await model.close();
    },
  };
}

async function over(served: Served, runId: string): Promise<RunRecord> {
  return eventually(async () => {
    const run = await served.get<RunRecord>(`/api/runs/${runId}`);
    return run.endedAt === null ? null : run;
  });
}

describe('toolyard db backup', () => {
  it('of a server at work can be started from: the run is finished there, with the stored key', async () => {
    await using scene = await atWork();
    const { served, runId } = scene;
    const to = join(served.folder, 'backup');
    const made = await runCommand(['db', 'backup', to, '--data-dir', served.dataDir]);
    expect(made.code, made.stderr).toBe(0);
    expect(made.stdout).toContain(`toolyard serve --data-dir ${to}`);
    expect(made.stdout).toContain('It holds secret.key');
    expect(made.stdout).not.toContain('sk-right');
    expect((await served.get<RunRecord>(`/api/runs/${runId}`)).status).toBe('running');
    await served.stop();

    await using restored = await Served.start({ dataDir: to });
    expect(await over(restored, runId)).toMatchObject({ status: 'done' });
    const { messages } = await restored.get<MessagePage>('/api/conversations/c/messages');
    expect(messages.map(textOf)).toEqual(['Count', TEXT]);
    const checked = await runCommand(['db', 'check', '--data-dir', to]);
    expect(checked.stdout).toContain('nothing wrong was found');
  });

  it('without keys says so, opens, and says plainly that the key is not there', async () => {
    await using scene = await atWork();
    const { served, runId } = scene;
    const to = join(served.folder, 'backup');
    const made = await runCommand(['db', 'backup', to, '--without-keys', '--data-dir', served.dataDir]);
    expect(made.stdout).toContain('the API keys in it cannot be read unless');
    expect(readdirSync(to)).not.toContain('secret.key');
    await served.stop();

    await using restored = await Served.start({ dataDir: to });
    expect(await over(restored, runId)).toMatchObject({ status: 'failed' });
    await eventually(() => restored.log.includes('cannot be read: it was encrypted with another key'));
  });

  it('never writes over anything, and says what is no data folder', async () => {
    await using served = await Served.start();
    const taken = await runCommand(['db', 'backup', served.folder, '--data-dir', served.dataDir]);
    expect(taken.code).toBe(1);
    expect(taken.stderr).toContain(`${served.folder} already exists`);
    const to = join(served.folder, 'backup');
    const nothing = await runCommand(['db', 'backup', to, '--data-dir', join(served.folder, 'nowhere')]);
    expect(nothing.code).toBe(1);
    expect(nothing.stderr).toContain('contains no Toolyard database');
    expect(existsSync(to)).toBe(false);
  });

  it('tells in --help how to start from it', async () => {
    const { stdout } = await runCommand(['db', 'backup', '--help']);
    expect(stdout.replace(/\s+/g, ' ')).toContain('serve --data-dir <folder>');
    expect(stdout).toContain('--without-keys');
  });
});
