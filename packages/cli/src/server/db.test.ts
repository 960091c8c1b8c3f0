import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MessagePage, ProviderView, RunRecord } from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';
import type { ModelServer } from '@toolyard/testing';
import { eventually, reply, startModelServer } from '@toolyard/testing';
import { runCommand } from '../test-fixtures/run-command.ts';
import { Served } from '../test-fixtures/served.ts';

const TEXT = Array.from({ length: 80 }, (_none, at) => `word${at}`).join(' ');

/** A model server that requires the key, and a Toolyard server with the key and a run that never ends there. */
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
  it('of a running server is a data folder in which the run completes with the stored key', async () => {
    await using scene = await atWork();
    const { served, runId } = scene;
    const to = join(served.folder, 'backup');
    const made = await runCommand(['db', 'backup', to, '--data-dir', served.dataDir]);
    expect(made.code, made.stderr).toBe(0);
    expect(made.stdout).toContain(`toolyard serve --data-dir ${to}`);
    expect(made.stdout).toContain('The backup contains secret.key');
    expect(made.stdout).not.toContain('sk-right');
    expect((await served.get<RunRecord>(`/api/runs/${runId}`)).status).toBe('running');
    await served.stop();

    await using restored = await Served.start({ dataDir: to });
    expect(await over(restored, runId)).toMatchObject({ status: 'done' });
    const { messages } = await restored.get<MessagePage>('/api/conversations/c/messages');
    expect(messages.map(textOf)).toEqual(['Count', TEXT]);
    const checked = await runCommand(['db', 'check', '--data-dir', to]);
    expect(checked.stdout).toContain(': OK');
  });

  it('without keys starts, and reports the missing key', async () => {
    await using scene = await atWork();
    const { served, runId } = scene;
    const to = join(served.folder, 'backup');
    const made = await runCommand(['db', 'backup', to, '--without-keys', '--data-dir', served.dataDir]);
    expect(made.stdout).toContain('does not contain secret.key and secret.salt');
    expect(readdirSync(to)).not.toContain('secret.key');
    await served.stop();

    await using restored = await Served.start({ dataDir: to });
    expect(await over(restored, runId)).toMatchObject({ status: 'failed' });
    await eventually(() => restored.log.includes('cannot be read: it was encrypted with another key'));
  });

  it('without keys contains no value of mcp.json, and its servers say what is missing', async () => {
    await using served = await Served.start();
    const canary = 'canary-4f1d';
    const entries = {
      local: {
        command: 'true',
        args: ['--api-key', canary, `--token=${canary}`, 'plain'],
        env: { KEY: canary, A: '${env:HOME}' },
      },
      web: {
        url: `http://127.0.0.1:1/mcp?key=${canary}`,
        headers: { Authorization: `Bearer ${canary}`, b: 'Bearer ${env:B}' },
      },
      signs: {
        url: 'http://127.0.0.1:1/a',
        oauth: { clientSecret: canary, grant: { type: 'jwt', privateKey: canary } },
      },
      mail: { hosted: { service: 'klavis', server: 'Gmail', apiKey: canary } },
      old: { type: 'plugin', url: `http://127.0.0.1:1/?key=${canary}`, settings: { key: canary } },
    };
    const text = JSON.stringify({ mcpServers: { ...entries, twice: entries.web } }, null, 2);
    writeFileSync(
      join(served.dataDir, 'mcp.json'),
      text.replace('{', `{ // ${canary}\n`).replace('"twice"', `"web": { "headers": { "x": "${canary}" } }, "twice"`),
    );
    const to = join(served.folder, 'backup');
    const made = await runCommand(['db', 'backup', to, '--without-keys', '--data-dir', served.dataDir]);
    expect(made.stdout).toContain('without the values of env, headers, settings and sign-ins');
    expect(made.stdout).not.toContain('mcp.json was copied unchanged');
    const copied = readFileSync(join(to, 'mcp.json'), 'utf8');
    expect(copied).not.toContain(canary);
    for (const kept of ['"plain"', '${env:HOME}', 'Bearer ${env:B}', '"Gmail"']) expect(copied).toContain(kept);

    await using restored = await Served.start({ dataDir: to });
    await eventually(() => restored.log.includes('uses ${env:LEFT_OUT_OF_BACKUP}, and LEFT_OUT_OF_BACKUP is not set'));

    writeFileSync(join(served.dataDir, 'mcp.json'), `{ "mcpServers": ${canary}`);
    const other = join(served.folder, 'other');
    const broken = await runCommand(['db', 'backup', other, '--without-keys', '--data-dir', served.dataDir]);
    expect(broken.stdout).toContain('mcp.json was left out');
    expect(readdirSync(other)).not.toContain('mcp.json');
  });

  it('never overwrites a folder, and rejects what is no data folder', async () => {
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

  it('says in --help how to use the backup', async () => {
    const { stdout } = await runCommand(['db', 'backup', '--help']);
    expect(stdout.replace(/\s+/g, ' ')).toContain('Back up the data folder');
    expect(stdout).toContain('--without-keys');
  });
});
