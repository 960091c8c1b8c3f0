import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PluginServer, PluginServerAnswers } from '@toolyard/testing';
import { startPluginServer } from '@toolyard/testing';
import { describe, expect, it } from 'vitest';
import { resolveAgentConfig } from '../config/resolve-agent-config.ts';
import type { ConnectedServers } from './servers.ts';
import { NEVER_ABORTED, OWNER, useServerBench } from './test-fixtures/server-setup.ts';

const SECRET = 'secret-of-the-test';

const room = useServerBench();

async function startPlugin(answers: PluginServerAnswers): Promise<PluginServer> {
  const plugin = await startPluginServer(answers);
  room.open.push(plugin);
  return plugin;
}

function manifest(more: object = {}): object {
  return {
    identifier: 'shop',
    meta: { title: 'Shop' },
    api: [{ name: 'search', description: 'Searches.', url: '/search' }],
    ...more,
  };
}

const SETTINGS = {
  type: 'object',
  properties: { apiKey: { type: 'string', title: 'Key' }, limit: { type: 'integer' }, safe: { enum: ['yes', 'no'] } },
  required: ['apiKey'],
};

function startWith(plugin: PluginServer, more: object = {}): Promise<ConnectedServers> {
  return room.start({ shop: { type: 'plugin', url: `${plugin.url}/manifest.json`, ...more } });
}

async function search(servers: ConnectedServers): Promise<{ text: string; outcome: string }> {
  const selection = await servers.select(resolveAgentConfig([{}], null), NEVER_ABORTED);
  const { content, outcome } = await selection.callTool({ serverId: 'shop', name: 'search' }, {});
  const [part] = content;
  return { text: part?.type === 'text' ? part.text : '', outcome };
}

describe('a legacy plugin', () => {
  it('has the identity, definition and permission check of any other tool', async () => {
    const plugin = await startPlugin({ '/manifest.json': { body: manifest() }, '/search': { body: 'found' } });
    const servers = await startWith(plugin);
    expect(await room.viewWhen('shop', 'ready')).toMatchObject({
      transport: { type: 'plugin', url: `${plugin.url}/manifest.json` },
      builtIn: false,
      editable: true,
      tools: [{ tool: { origin: 'server', serverId: 'shop', name: 'search' }, name: 'search', permission: null }],
    });
    const selection = await servers.select(resolveAgentConfig([{}], null), NEVER_ABORTED);
    const tool = selection.resolve('search');
    expect(tool && selection.policyFacts(tool.tool)).toMatchObject({ builtIn: false, readOnly: false });
    expect(await search(servers)).toEqual({ text: 'found', outcome: 'done' });
  });

  it('gets its settings, which are stored encrypted and never returned', async () => {
    const plugin = await startPlugin({
      '/manifest.json': { body: manifest({ settings: SETTINGS }) },
      '/search': ({ headers }) => ({ body: String(headers['x-lobe-plugin-settings']) }),
    });
    const servers = await startWith(plugin);
    await room.viewWhen('shop', 'ready');
    expect((await search(servers)).text).toContain('needs settings that are not set: apiKey');

    const stored = { apiKey: SECRET, limit: 5, safe: 'yes', unknown: 'x' };
    const answer = await servers.editable.setPlugin(OWNER, 'shop', { values: stored });
    expect(answer).toMatchObject({
      title: 'Shop',
      kind: 'default',
      values: { limit: 5, safe: 'yes' },
      secrets: ['apiKey'],
      schema: { properties: { apiKey: { format: 'password' } } },
    });
    expect(await servers.editable.plugin(OWNER, 'shop')).toEqual(answer);
    // What the plugin repeats is redacted; without a reconnect it has the settings.
    expect((await search(servers)).text).toBe('{"apiKey":"•••","limit":5,"safe":"yes"}');
    expect(plugin.asked.at(-1)?.headers['x-lobe-plugin-settings']).toBe(
      `{"apiKey":"${SECRET}","limit":5,"safe":"yes"}`,
    );

    // A secret that is left out stays; an empty one is deleted.
    await servers.editable.setPlugin(OWNER, 'shop', { values: { limit: 6 } });
    await search(servers);
    expect(plugin.asked.at(-1)?.headers['x-lobe-plugin-settings']).toBe(`{"apiKey":"${SECRET}","limit":6}`);
    const log = await servers.ask('GET /api/mcp/servers/{id}/log', OWNER, { params: { id: 'shop' }, query: {} });
    expect(JSON.stringify([answer, await room.viewWhen('shop', 'ready'), log, room.logged])).not.toContain(SECRET);
    expect(everythingIn(room.folder)).not.toContain(SECRET);
    await servers.editable.setPlugin(OWNER, 'shop', { values: { apiKey: '' } });
    expect(await room.storage.secrets.names(OWNER)).toEqual([]);
  });

  it('keeps its settings from another plugin, and loses them with its entry', async () => {
    const answers = { '/manifest.json': { body: manifest({ settings: SETTINGS }) }, '/search': { body: 'ok' } };
    const [plugin, other] = [await startPlugin(answers), await startPlugin(answers)];
    const servers = await startWith(plugin);
    await room.viewWhen('shop', 'ready');
    await servers.editable.setPlugin(OWNER, 'shop', { values: { apiKey: SECRET } });
    await servers.editable.edit(OWNER, 'shop', { transport: { type: 'plugin', url: `${other.url}/manifest.json` } });
    await room.viewWhen('shop', 'ready');
    expect((await search(servers)).text).toContain('not set: apiKey');
    expect(JSON.stringify(other.asked)).not.toContain(SECRET);
    await servers.editable.remove(OWNER, 'shop');
    expect(await room.storage.secrets.names(OWNER)).toEqual([]);
  });

  it('rejects settings of a wrong type, and settings of a server that is no plugin', async () => {
    const plugin = await startPlugin({ '/manifest.json': { body: manifest({ settings: SETTINGS }) } });
    const servers = await startWith(plugin);
    await room.viewWhen('shop', 'ready');
    await expect(servers.editable.setPlugin(OWNER, 'shop', { values: { limit: 'many' } })).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('limit') as string,
    });
    await servers.editable.add(OWNER, {
      id: 'files',
      transport: { type: 'stdio', command: 'x', sandbox: false },
      enabled: false,
    });
    await expect(servers.editable.plugin(OWNER, 'files')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('masks settings of mcp.json, which stay where they are', async () => {
    const plugin = await startPlugin({ '/manifest.json': { body: manifest({ settings: SETTINGS }) }, '/search': {} });
    const servers = await startWith(plugin, { settings: { apiKey: SECRET } });
    await room.viewWhen('shop', 'ready');
    const shown = await servers.editable.configuration(OWNER, 'shop');
    const kept = {
      type: 'plugin',
      url: `${plugin.url}/manifest.json`,
      settings: { apiKey: { secret: true } },
    } as const;
    expect(shown.transport).toEqual(kept);
    await servers.editable.edit(OWNER, 'shop', { transport: kept });
    expect(JSON.parse(readFileSync(room.path, 'utf8'))).toMatchObject({
      mcpServers: { shop: { type: 'plugin', settings: { apiKey: SECRET } } },
    });
    await expect(
      servers.editable.edit(OWNER, 'shop', { transport: { ...kept, gateway: 'https://attacker.example/' } }),
    ).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('whose entry or manifest is invalid is set aside; others work', async () => {
    const plugin = await startPlugin({ '/manifest.json': { body: manifest() }, '/search': { body: 'found' } });
    const broken = await startPlugin({ '/manifest.json': { body: '{\n  "identifier": "x",\n  "api": [}\n}' } });
    const servers = await room.start({
      shop: { type: 'plugin', url: `${plugin.url}/manifest.json` },
      broken: { type: 'plugin', url: `${broken.url}/manifest.json` },
      wrong: { type: 'plugin', url: 'file:///etc/passwd' },
    });
    expect((await room.viewWhen('broken', 'failed')).error?.message).toContain('manifest.json, line 3, column 11');
    expect((await room.viewWhen('wrong', 'failed')).error?.message).toMatch(
      /mcp.json, line \d+: server "wrong": "url" must be an http or https URL/,
    );
    expect((await search(servers)).text).toBe('found');
  });
});

describe('SSRF through a plugin', () => {
  it.each([
    ['the API in its manifest', (inside: string) => ({ '/manifest.json': { body: manifest({ api: [api(inside)] }) } })],
    [
      'a redirect of its API',
      (inside: string) => ({
        '/manifest.json': { body: manifest() },
        '/search': { status: 307, headers: { location: inside } },
      }),
    ],
    [
      'an odd form of an address',
      () => ({ '/manifest.json': { body: manifest({ api: [api('http://2130706433:1/')] }) } }),
    ],
    [
      'a name that leads to this machine',
      () => ({ '/manifest.json': { body: manifest({ api: [api('http://x.localhost:1/')] }) } }),
    ],
  ])('by %s reaches nothing', async (_how, answersOf) => {
    const victim = await startPlugin({ '/inside': { body: 'secret data' } });
    const plugin = await startPlugin(answersOf(`${victim.url}/inside`));
    const servers = await startWith(plugin);
    await room.viewWhen('shop', 'ready');
    const { text } = await search(servers);
    expect(text).toMatch(/refused|not allowed|private|loopback|this machine/i);
    expect(text).not.toContain('secret data');
    expect(victim.asked).toEqual([]);
  });

  it.each([
    [
      'a redirect of its manifest',
      (inside: string) => ({ '/manifest.json': { status: 302, headers: { location: inside } } }),
    ],
    [
      'a reference of its OpenAPI document',
      (inside: string) => ({
        '/manifest.json': { body: { openapi: '3.0.0', paths: { '/a': { get: { parameters: [{ $ref: inside }] } } } } },
      }),
    ],
  ])('by %s keeps it from being connected', async (_how, answersOf) => {
    const victim = await startPlugin({ '/inside': { body: {} } });
    const plugin = await startPlugin(answersOf(`${victim.url}/inside`));
    await startWith(plugin);
    expect((await room.viewWhen('shop', 'failed')).error?.code).toBe('address_refused');
    expect(victim.asked).toEqual([]);
  });
});

function api(url: string): object {
  return { name: 'search', url };
}

/** The text of all files in a folder. */
function everythingIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')).join('\n');
}
