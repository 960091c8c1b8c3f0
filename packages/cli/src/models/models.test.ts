import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProviderPresetView, ModelsView, ProviderView } from '@toolyard/protocol';
import { reply, startModelServer } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../test-fixtures/run-command.ts';
import { Served } from '../test-fixtures/served.ts';

let dataDir: string;
beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'toolyard-models-'))));
afterEach(() => rmSync(dataDir, { recursive: true }));

describe('on this machine', () => {
  it('lists providers of environment and config.json with their models, without keys', async () => {
    await using one = await startModelServer([], { models: ['claude-x'], requireKey: 'canary-1', serveAt: 'both' });
    const provider = {
      id: 'mine',
      label: 'Mine\u001b[31m',
      known: 'anthropic',
      baseUrl: one.origin,
      apiKey: 'canary-1',
    };
    const price = { inputPerMillion: 0.0000004, outputPerMillion: 12.5 };
    const file = { providers: [provider], models: { 'mine/claude-x': { price } } };
    writeFileSync(join(dataDir, 'config.json'), JSON.stringify(file));
    const env = { OPENAI_BASE_URL: one.url, OPENAI_API_KEY: 'canary-2' };

    const providers = await runCommand(['providers', '--data-dir', dataDir], { env });
    expect(providers).toMatchObject({ code: 0, stderr: '' });
    expect(providers.stdout).toMatch(/^mine +Mine\[31m +anthropic-messages +key +config\.json +http:\/\/127/m);
    expect(providers.stdout).toMatch(/^127\S+ +127\S+ +openai-chat +key +environment/m);
    expect(providers.stdout).not.toContain('\u001b');

    const models = await runCommand(['models', '--data-dir', dataDir], { env });
    expect(models.stdout).toMatch(/^claude-x +mine +\$0\.0000004 \/ \$12\.5 per million tokens +default$/m);
    expect(models.stderr).toMatch(/key/);
    expect(models.code).toBe(1);
    expect(providers.stdout + models.stdout + models.stderr).not.toContain('canary');

    const mine = await runCommand(['models', '--provider', 'mine', '--json', '--data-dir', dataDir], { env });
    expect(mine.code).toBe(0);
    const view = JSON.parse(mine.stdout) as ModelsView;
    expect(view.models.map(({ modelId }) => modelId)).toEqual(['claude-x']);
  });

  it('lists presets, and rejects an unknown provider', async () => {
    const known = await runCommand(['providers', '--known', '--json', '--data-dir', dataDir]);
    const views = JSON.parse(known.stdout) as ProviderPresetView[];
    expect(views.length).toBeGreaterThan(40);
    const lines = (await runCommand(['providers', '--known', '--data-dir', dataDir])).stdout;
    expect(lines).toMatch(/^deepseek +DeepSeek +openai-chat +DEEPSEEK_API_KEY +https:\/\/api\.deepseek\.com$/m);

    const refused = await runCommand(['models', '--provider', 'nobody', '--data-dir', dataDir]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/Unknown provider "nobody"[\s\S]*demo/);
  });

  it('reports the line of an error in config.json', async () => {
    writeFileSync(join(dataDir, 'config.json'), '{"providers": [\n{"id": "x", "known": "nobody"}]}');
    const refused = await runCommand(['models', '--data-dir', dataDir]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/config\.json, line 2: There is no known provider "nobody"/);
  });
});

it('lists models of a running server with --server', async () => {
  await using one = await startModelServer(() => reply.text('Hi.'), { models: ['served-model'] });
  await using served = await Served.start({ dataDir });
  await served.post('/api/providers', { label: 'Entered', baseUrl: one.url, wire: 'openai-responses' });
  const providers = await runCommand(['providers', '--server', '--json', '--data-dir', dataDir]);
  const views = JSON.parse(providers.stdout) as ProviderView[];
  expect(views).toContainEqual(
    expect.objectContaining({ id: 'entered', wire: 'openai-responses', origin: 'settings' }),
  );
  const models = await runCommand(['models', '--server', served.url]);
  expect(models.stdout).toMatch(/^served-model +entered/m);
  expect((await runCommand(['providers', '--data-dir', dataDir])).stdout).not.toContain('entered');
});
