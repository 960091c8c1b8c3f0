import type { PluginServer } from '@toolyard/testing';
import { startPluginServer } from '@toolyard/testing';
import type { JsonObject, ToolResult } from '@toolyard/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { McpHost } from '../../host/host.ts';
import type { PluginConfig } from '../../config/plugin-config.ts';
import { connected, getHealth } from '../test-fixtures/peers.ts';
import { createNodeTransports } from '../transports.ts';

const SECRET = 'secret-of-the-test';

let plugin: PluginServer;
let host: McpHost | undefined;
let settings: JsonObject;
beforeEach(async () => {
  settings = {};
  plugin = await startPluginServer();
});
afterEach(async () => {
  await host?.close();
  host = undefined;
  await plugin.close();
});

/** A manifest with one function, `search`, at `/api/search`. */
function manifest(more: object = {}): object {
  return {
    identifier: 'shop',
    version: '1',
    meta: { title: 'Shop', description: 'Finds things to buy.' },
    api: [{ name: 'search', description: 'Searches.', url: '/api/search', parameters: QUERY }],
    ...more,
  };
}

const QUERY = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };

async function connect(document: object | string, more: Partial<PluginConfig> = {}): Promise<McpHost> {
  plugin.answer({ '/manifest.json': { body: document } });
  await host?.close();
  host = await connected([{ id: 'shop', transport: { type: 'plugin', url: `${plugin.url}/manifest.json`, ...more } }], {
    createTransport: createNodeTransports({
      fetch: (input, init) => fetch(input, init),
      pluginSettings: () => Promise.resolve(settings),
    }),
    handlers: { apps: true },
    maxReconnects: 0,
  });
  return host;
}

function search(args: JsonObject = { query: 'lamps' }, name = 'search'): Promise<ToolResult> {
  if (host === undefined) throw new Error('not connected');
  return host.callTool({ serverId: 'shop', name }, args);
}

const calls = () => plugin.asked.filter(({ url }) => url !== '/manifest.json');
const getText = ({ content }: ToolResult) => content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');

describe('a manifest', () => {
  test('offers its functions as tools, which are called with the arguments and the settings', async () => {
    settings = { apiKey: SECRET, language: 'français' };
    const own = { type: 'object', properties: { apiKey: { type: 'string' }, language: { type: 'string' } } };
    const shop = await connect(manifest({ settings: own, systemRole: 'Prefer lamps.' }));
    plugin.answer({ '/api/search': { body: '3 lamps' } });
    expect(shop.tools()).toMatchObject([
      {
        tool: { origin: 'server', serverId: 'shop', name: 'search' },
        name: 'search',
        description: 'Searches.',
        inputSchema: QUERY,
        annotations: { openWorld: true },
      },
    ]);
    expect(getHealth(shop, 'shop')).toMatchObject({
      state: 'ready',
      serverInfo: { name: 'shop', title: 'Shop' },
      instructions: 'Prefer lamps.',
    });
    expect(await search()).toMatchObject({
      content: [{ type: 'text', text: '3 lamps' }],
      isError: false,
      outcome: 'done',
    });
    const [call] = calls();
    expect(call).toMatchObject({ method: 'POST', url: '/api/search', body: '{"query":"lamps"}' });
    expect(JSON.parse(String(call?.headers['x-lobe-plugin-settings']))).toEqual(settings);
    expect(call?.headers['x-lobe-plugin-settings']).toContain('fran\\u00e7ais');
  });

  test.each(['manifest', 'configuration'])(
    'names a gateway (%s), which gets the call in its own form',
    async (where) => {
      const gateway = `${plugin.url}/gateway`;
      const document = manifest(where === 'manifest' ? { gateway } : { gateway: 'https://gateway.example/' });
      await connect(document, where === 'manifest' ? {} : { gateway });
      plugin.answer({ '/gateway': { body: 'through the gateway' } });
      expect(getText(await search())).toBe('through the gateway');
      const [call] = calls();
      expect(JSON.parse(call?.body ?? '')).toEqual({
        identifier: 'shop',
        apiName: 'search',
        arguments: '{"query":"lamps"}',
        type: 'default',
        manifest: document,
      });
    },
  );

  test.each([
    ['none', { type: 'none' }, {}, undefined],
    ['a bearer token', { type: 'bearer' }, { serviceToken: SECRET }, { authorization: `Bearer ${SECRET}` }],
    ['a service token', { type: 'service_http' }, { serviceToken: SECRET }, { authorization: `Bearer ${SECRET}` }],
    [
      'a user and password',
      { type: 'basic' },
      { username: 'ann', password: SECRET },
      { authorization: `Basic ${btoa(`ann:${SECRET}`)}` },
    ],
    ['a key in a header', { type: 'api_key', in: 'header', name: 'X-Key' }, { apiKey: SECRET }, { 'x-key': SECRET }],
  ])('authenticates with %s', async (_kind, auth, own, headers) => {
    settings = own;
    await connect(manifest({ auth }));
    plugin.answer({ '/api/search': { body: 'ok' } });
    expect(getText(await search())).toBe('ok');
    const sent = calls()[0]?.headers ?? {};
    if (headers === undefined) expect(sent['authorization']).toBeUndefined();
    else expect(sent).toMatchObject(headers);
    expect(sent['x-lobe-plugin-settings']).toBeUndefined();
  });

  test('authenticates with a key in the query', async () => {
    settings = { apiKey: SECRET };
    await connect(manifest({ auth: { type: 'api_key', in: 'query', name: 'key' } }));
    plugin.answer({ '/api/search': { body: 'ok' } });
    await search();
    expect(calls()[0]?.url).toBe(`/api/search?key=${SECRET}`);
  });

  test('is not called without the settings it requires', async () => {
    const own = { type: 'object', properties: { apiKey: { type: 'string' } }, required: ['apiKey'] };
    await connect(manifest({ settings: own, auth: { type: 'bearer' } }));
    const result = await search();
    expect(result).toMatchObject({ outcome: 'not_sent', error: { code: 'server_refused' } });
    expect(getText(result)).toContain('needs settings that are not set: apiKey, serviceToken');
    expect(calls()).toEqual([]);
  });

  test('reads settings of mcp.json with the types of their schema', async () => {
    const own = { type: 'object', properties: { limit: { type: 'integer' }, safe: { type: 'boolean' } } };
    await connect(manifest({ settings: own }), { settings: { limit: '5', safe: 'true' } });
    plugin.answer({ '/api/search': { body: 'ok' } });
    await search();
    expect(JSON.parse(String(calls()[0]?.headers['x-lobe-plugin-settings']))).toEqual({ limit: 5, safe: true });
  });

  test.each([
    ['{ "identifier": "shop", ]', 'line 1, column 25'],
    ['{\n "api": []\n}', 'line 1: the manifest has no "identifier"'],
    ['{\n "identifier": "shop",\n "type": "module"\n}', 'line 3: "type" must be default, markdown or standalone'],
    ['{\n "identifier": "a",\n "type": "standalone",\n "api": [{ "name": "b" }]\n}', 'needs a page: "ui.url"'],
    [
      '{ "identifier": "shop",\n "api": [{ "name": "a", "url": "file:///etc/passwd" }] }',
      'line 2: left out: "url" must be an http or https URL',
    ],
    ['{ "identifier": "shop", "auth": { "type": "oauth" }, "api": [] }', '"auth" cannot be used: unknown type'],
    ['{ "swagger": "2.0" }', 'must begin with "3." (this is one of Swagger 2)'],
    ['a: [b\nc: d', 'neither JSON nor YAML'],
    ['[1]', 'must contain an object'],
  ])('that is invalid says where: %s', async (document, message) => {
    const shop = await connect(document);
    expect(getHealth(shop, 'shop')).toMatchObject({ state: 'failed', error: { code: 'bad_response' } });
    expect(getHealth(shop, 'shop').error?.message).toContain(message);
  });

  test('is used without a function that is invalid', async () => {
    const api = [{ name: 'search', url: '/api/search' }, { url: '/api/nameless' }, { name: 'search', url: '/again' }];
    const shop = await connect(manifest({ api }));
    expect(shop.tools()).toHaveLength(1);
    const log = getHealth(shop, 'shop')
      .log.map(({ text }) => text)
      .join('\n');
    expect(log).toMatch(/manifest.json, line 1: left out: it has no "name"/);
    expect(log).toContain('there are two functions named "search"');
  });
});

describe('the answer of a plugin', () => {
  beforeEach(async () => {
    settings = { serviceToken: SECRET };
    await connect(manifest({ auth: { type: 'bearer' } }));
  });

  test.each([
    [
      422,
      { errorType: 'PluginSettingsInvalid', body: { message: `token ${SECRET} is unknown` } },
      /HTTP 422: its settings are missing or invalid \(PluginSettingsInvalid\).* token ••• is unknown/,
    ],
    [404, { errorType: 'PluginApiNotFound', body: {} }, /HTTP 404: it has no function of this name/],
    [401, 'no', /HTTP 401: it rejected the credentials in its settings/],
    [500, { errorType: 'PluginServerError', body: { stack: 'at secret.js' } }, /HTTP 500: its server failed/],
    [503, { errorType: 'PluginGatewayError', body: { authorizations: { key: SECRET } } }, /its gateway failed/],
  ])('with the status %i is an error in plain words, without secrets', async (status, body, expected) => {
    plugin.answer({ '/api/search': { status, body } });
    const result = await search();
    expect(result).toMatchObject({ isError: true, outcome: 'done' });
    expect(getText(result)).toMatch(expected);
    expect(JSON.stringify([result, host?.health()])).not.toMatch(/secret-of|secret\.js/);
  });

  test('does not contain the secrets that it repeats', async () => {
    plugin.answer({ '/api/search': ({ headers }) => ({ body: headers }) });
    const result = await search();
    expect(getText(result)).toContain('"authorization":"Bearer •••"');
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });

  test('leaves the outcome unknown if it is missing, or only that of an intermediary', async () => {
    plugin.answer({ '/api/search': 'cut' });
    expect(await search()).toMatchObject({ outcome: 'unknown', error: { code: 'network' } });
    plugin.answer({ '/api/search': { status: 504 } });
    expect(await search()).toMatchObject({ outcome: 'unknown', error: { code: 'timed_out' } });
  });

  test('of a call that was cancelled is not awaited', async () => {
    plugin.answer({ '/api/search': 'hang' });
    const stop = new AbortController();
    const call = host?.callTool({ serverId: 'shop', name: 'search' }, { query: 'x' }, { signal: stop.signal });
    await expect.poll(() => calls().length).toBe(1);
    stop.abort();
    expect(await call).toMatchObject({ outcome: 'unknown', error: { code: 'cancelled' } });
  });

  test('that redirects is not followed with secrets', async () => {
    plugin.answer({ '/api/search': { status: 307, headers: { location: '/elsewhere' } } });
    expect(getText(await search())).toContain('redirected the call (HTTP 307)');
    expect(calls().map(({ url }) => url)).toEqual(['/api/search']);
  });

  test('may be an image, but no other bytes, and not endless', async () => {
    plugin.answer({ '/api/search': { headers: { 'content-type': 'image/png' }, body: new Uint8Array([1, 2]) } });
    expect(await search()).toMatchObject({ content: [{ type: 'image', mimeType: 'image/png' }] });
    plugin.answer({ '/api/search': { headers: { 'content-type': 'x/y' }, body: new Uint8Array([255, 0]) } });
    expect(getText(await search())).toContain('answered with x/y');
    plugin.answer({ '/api/search': { body: 'x'.repeat(4_100_000) } });
    expect(getText(await search())).toContain('exceeds the limit');
  });

  test('cannot be had if the plugin is not reachable', async () => {
    await plugin.close();
    expect(await search()).toMatchObject({ outcome: 'not_sent' });
    plugin = await startPluginServer();
  });
});

test('a changed endpoint makes an approval void', async () => {
  const shop = await connect(manifest());
  shop.approveTool({ serverId: 'shop', name: 'search' });
  const before = shop.findDefinition({ serverId: 'shop', name: 'search' });
  plugin.answer({
    '/manifest.json': {
      body: manifest({ api: [{ name: 'search', description: 'Searches.', url: '/api/other', parameters: QUERY }] }),
    },
  });
  await shop.reconnect('shop');
  expect(shop.findDefinition({ serverId: 'shop', name: 'search' })).not.toBe(before);
  expect(shop.trust.findChange({ serverId: 'shop', name: 'search' })?.differences).toMatchObject([
    { path: 'endpoint', before: expect.stringContaining('/api/search'), after: expect.stringContaining('/api/other') },
  ]);
});

describe('a plugin with a page', () => {
  test('is a tool with an app, which gets the settings that are not secret', async () => {
    settings = { apiKey: SECRET, theme: '</script>' };
    const own = { type: 'object', properties: { apiKey: { type: 'string' }, theme: { enum: ['</script>'] } } };
    const ui = { mode: 'iframe', url: '/page', height: 300 };
    const api = [{ name: 'open', description: 'Opens.', parameters: { type: 'object', properties: {} } }];
    const shop = await connect(manifest({ type: 'standalone', settings: own, ui, api }));
    const [tool] = shop.tools();
    expect(tool?.ui).toEqual({ resourceUri: 'ui://plugin/page', visibility: ['model'] });
    expect(await search({}, 'open')).toMatchObject({ content: [{ audience: ['assistant'] }], isError: false });
    expect(calls()).toEqual([]);
    const app = await shop.readApp('shop', 'ui://plugin/page');
    expect(app).toMatchObject({ frames: [plugin.url], connect: [], resources: [] });
    expect(app.html).toContain(`src="${plugin.url}/page"`);
    expect(app.html).not.toContain(SECRET);
    expect(app.html.match(/<\/script>/g)).toHaveLength(1);
  });

  test('of Markdown shows its result to the user, and the model only a note', async () => {
    const shop = await connect(manifest({ type: 'markdown' }));
    plugin.answer({ '/api/search': { body: '# Lamps\n<script>alert(1)</script>' } });
    const { content } = await search();
    expect(content).toMatchObject([
      { type: 'text', text: '# Lamps\n<script>alert(1)</script>', audience: ['user'] },
      { type: 'resource', mimeType: 'text/html', audience: ['user'] },
      { type: 'text', audience: ['assistant'] },
    ]);
    const [, html] = content;
    expect(html?.type === 'resource' && html.text).toMatch(/<h1>Lamps<\/h1>[^]*&#60;script&#62;/);
    expect(await shop.readApp('shop', 'ui://plugin/page')).toMatchObject({ frames: [], connect: [] });
  });
});
