import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelReference, Owner } from '@toolyard/protocol';
import { DEFAULT_LIMITS, systemClock } from '@toolyard/protocol';
import { openStorage } from '@toolyard/storage';
import { afterAll, describe, expect, it } from 'vitest';
import { readStoredConfiguration } from './agent-configuration.ts';
import { readConfigFile } from './config-file.ts';
import { createConfigurations } from './configurations.ts';
import { resolveAgentConfig } from './resolve-agent-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolyard-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(text: string): string {
  const path = join(folder, 'config.json');
  writeFileSync(path, text);
  return path;
}

describe('the configuration file', () => {
  it('is empty if the file does not exist', () => {
    const none = readConfigFile(join(folder, 'none.json'), {});
    expect(none).toEqual({
      providers: [],
      defaults: {},
      flags: {},
      webhook: null,
      email: null,
      telemetry: null,
      models: {},
    });
  });

  it('accepts comments and fills in keys from the environment', () => {
    const path = file(`{
      // mine
      "providers": [
        { "id": "work", "label": "Work", "baseUrl": "https://llm.example.com/v1/", "apiKey": "\${env:WORK_KEY}" },
        { "id": "plain", "baseUrl": "127.0.0.1:9000", "apiKey": "" },
      ],
      "defaults": { "model": { "providerId": "work", "modelId": "m" }, "limits": { "maxTurns": 5 } },
      "allowHosts": ["toolyard.example.com", "box:8710"],
      "uiSettings": { "theme": "dark" },
      "webhook": { "url": "https://hooks.example.com/", "secret": "\${env:HOOK}" },
      "email": { "smtpUrl": "\${env:SMTP}", "from": "a@example.com", "to": ["b@example.com"] },
    }`);
    expect(readConfigFile(path, { WORK_KEY: 'k-1', HOOK: 'sixteen characters', SMTP: 'smtps://mail' })).toEqual({
      providers: [
        { id: 'work', label: 'Work', baseUrl: 'https://llm.example.com/v1', apiKey: 'k-1', place: `${path}, line 4` },
        { id: 'plain', baseUrl: 'http://127.0.0.1:9000', place: `${path}, line 5` },
      ],
      defaults: { model: { providerId: 'work', modelId: 'm' }, limits: { maxTurns: 5 } },
      flags: { allowHosts: ['toolyard.example.com', 'box:8710'], uiSettings: { theme: 'dark' } },
      webhook: { url: 'https://hooks.example.com/', secret: 'sixteen characters', events: ['interrupt.opened'] },
      email: { smtpUrl: 'smtps://mail', from: 'a@example.com', to: ['b@example.com'] },
      telemetry: null,
      models: {},
    });
  });

  it.each<[string, string, RegExp, RegExp?]>([
    ['invalid JSON', '{\n  "defaults": {,\n}', /config\.json, line 2, column 16/],
    ['an unknown key', '{\n\n  "provider": []\n}', /config\.json, line 3: unknown setting "provider"/, /providers/],
    [
      'an unknown key in an object',
      '{"defaults": {\n "instruction": "x"}}',
      /line 2: .*"defaults\.instruction"/,
      /instructions/,
    ],
    [
      'a value of the wrong type',
      '{"defaults": {\n"limits": {\n"maxTurns": "five"}}}',
      /line 3: "defaults\.limits\.maxTurns"/,
    ],
    [
      'a webhook with a short secret',
      '{"webhook": {"url": "http://x",\n"secret": "short"}}',
      /line 2: the secret of the webhook is too short/,
    ],
    [
      'a webhook with an unknown event',
      '{"webhook": {"url": "http://x", "secret": "sixteen characters",\n"events": ["all"]}}',
      /line 2: "webhook\.events\.0"/,
    ],
    ['a provider without base URL', '{"providers": [\n{"id": "a"}]}', /line 2: the provider "a" has no base URL/],
    ['an id with invalid characters', '{"providers": [\n{"id": "a/b", "baseUrl": "x"}]}', /line 2: .*an id has/],
    ['an invalid base URL', '{"providers": [{"id": "a",\n"baseUrl": "ftp://x"}]}', /line 2: this is not the base URL/],
    [
      'a password in a base URL',
      '{"providers": [{"id": "a",\n"baseUrl": "http://u:p4ss@x"}]}',
      /line 2: .*user name or/,
    ],
    [
      'a variable that is not set',
      '{"providers": [{"id": "a", "baseUrl": "x",\n"apiKey": "${env:NOPE}"}]}',
      /line 2: .*NOPE/,
    ],
    [
      'a duplicate id',
      '{"providers": [{"id": "a", "baseUrl": "x"},\n{"id": "a", "baseUrl": "y"}]}',
      /line 2: the provider id "a" is used twice/,
    ],
    ['an invalid host', '{"allowHosts": [\n"http://x/"]}', /line 2: "http:\/\/x\/" is not a host/],
    ['a file without an object', '[]', /line 1: /],
  ])('rejects %s with the place and a solution', (_what, text, message, hint = /./) => {
    let thrown: unknown;
    try {
      readConfigFile(file(text), {});
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      code: 'bad_config',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
    expect(String(thrown)).not.toContain('p4ss');
  });
});

describe('configuration layers', () => {
  const model: ModelReference = { providerId: 'p', modelId: 'm' };

  it('use the defaults if empty', () => {
    expect(resolveAgentConfig([], model)).toEqual({
      model,
      instructions: '',
      parameters: {},
      limits: DEFAULT_LIMITS,
      toolMode: 'native',
      servers: {},
      disabledTools: [],
      intervention: 'manual',
      interventionRules: [],
      budgets: [],
    });
    expect(resolveAgentConfig([], null).model).toBeNull();
  });

  it('are merged: the later one wins, by key within parameters, limits and servers, disabled tools as a whole', () => {
    const resolved = resolveAgentConfig(
      [
        {
          instructions: 'first',
          parameters: { temperature: 0.1, seed: 1 },
          limits: { maxTurns: 3 },
          servers: { a: true, b: true },
          disabledTools: ['a/x', 'a/y'],
        },
        { parameters: { temperature: 0.9 }, limits: { maxSameCall: 2 }, servers: { b: false }, disabledTools: ['b/z'] },
        { instructions: '', toolMode: 'text', intervention: 'headless', model: { providerId: 'q', modelId: 'n' } },
      ],
      model,
    );
    expect(resolved).toEqual({
      model: { providerId: 'q', modelId: 'n' },
      instructions: '',
      parameters: { temperature: 0.9, seed: 1 },
      limits: { ...DEFAULT_LIMITS, maxTurns: 3, maxSameCall: 2 },
      toolMode: 'text',
      servers: { a: true, b: false },
      disabledTools: ['b/z'],
      intervention: 'headless',
      interventionRules: [],
      budgets: [],
    });
  });

  it('keep the rules of every layer', () => {
    const never = { decision: 'never', tool: 'a/*' } as const;
    const allow = { decision: 'allow', tool: '*' } as const;
    const resolved = resolveAgentConfig([{ interventionRules: [never] }, {}, { interventionRules: [allow] }], null);
    expect(resolved.interventionRules).toEqual([never, allow]);
  });

  it('require approval for every call if a stored rule cannot be read, because it might forbid calls', () => {
    const interventionRules = [{ decision: 'never', toool: 'a/*' }];
    expect(readStoredConfiguration({ intervention: 'auto', interventionRules })).toEqual({
      intervention: 'manual',
      lostRules: true,
    });
    const headless = readStoredConfiguration({ intervention: 'headless', interventionRules });
    expect(headless).toEqual({ intervention: 'headless', lostRules: true });
    // No other layer reverts it, and the value that was read can be stored again.
    expect(resolveAgentConfig([headless, { intervention: 'auto' }], null).lostRules).toBe(true);
    expect(readStoredConfiguration(headless)).toEqual(headless);
  });

  it('keep the readable fields of a stored configuration', () => {
    expect(
      readStoredConfiguration({
        model: { providerId: 'only' },
        instructions: 'kept',
        parameters: { temperature: 'hot', seed: 4, invented: 1 },
        disabledTools: ['a/b', 3],
        servers: { a: true, b: 'yes' },
        later: { version: 9 },
      }),
    ).toEqual({ instructions: 'kept', parameters: { seed: 4 }, servers: { a: true } });
    for (const nothing of [undefined, null, 'x', [], 4]) expect(readStoredConfiguration(nothing)).toEqual({});
  });

  it('are applied in the order settings, file, agent, conversation, run', async () => {
    const me: Owner = { ownerId: 'owner' };
    const storage = await openStorage({ folder: join(folder, 'data'), clock: systemClock });
    try {
      const configurations = createConfigurations({
        storage,
        fileDefaults: { parameters: { topP: 0.2 }, instructions: 'file' },
        standardModel: () => Promise.resolve(model),
      });
      await storage.settings.set(me, 'defaults', { parameters: { topP: 0.1, seed: 1 }, instructions: 'settings' }, 0);
      const configuration = { parameters: { seed: 3 }, instructions: 'agent' };
      await storage.agents.create(me, { id: 'a', title: 'A', configuration, profile: {}, at: 0 });

      const plain = await configurations.resolve(me, { agentId: null });
      expect(plain).toMatchObject({ model, instructions: 'file', parameters: { topP: 0.2, seed: 1 } });
      const conversation = { limits: { maxTurns: 4 }, instructions: 'conversation' };
      const withAgent = { agentId: 'a', conversation };
      expect(await configurations.resolve(me, withAgent)).toMatchObject({
        instructions: 'conversation',
        parameters: { topP: 0.2, seed: 3 },
        limits: { maxTurns: 4 },
      });
      const run = { model: { providerId: 'q', modelId: 'n' }, limits: { maxTurns: 1 } };
      expect(await configurations.resolve(me, { ...withAgent, run })).toMatchObject(run);

      // An agent that was deleted, or of another owner.
      expect(await configurations.resolve(me, { agentId: 'none' })).toEqual(plain);
      const other = await configurations.resolve({ ownerId: 'other' }, { agentId: 'a' });
      expect(other).not.toHaveProperty('agent');
      expect(other.instructions).toBe('file');
    } finally {
      storage.close();
    }
  });
});
