import type { JsonObject } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import type { PluginServer } from '@toolyard/testing';
import { startPluginServer } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkArguments } from '../../calls/check-arguments.ts';
import { loadPlugin } from './load-plugin.ts';
import type { Plugin, PluginRequest } from './plugin.ts';

let server: PluginServer;
beforeEach(async () => {
  server = await startPluginServer();
});
afterEach(() => server.close());

function load(document: object | string, path = '/openapi.json'): Promise<Plugin> {
  server.answer({ [path]: { body: document } });
  return loadPlugin(
    { type: 'plugin', url: server.url + path },
    { fetch: (input, init) => fetch(input, init), clock: systemClock },
  );
}

/** A document with one operation, `find`, at `GET /v1/pets/{id}`. */
function openapi(operation: object, more: object = {}): object {
  return {
    openapi: '3.0.3',
    info: { title: 'Pets', version: '1', description: 'All pets.' },
    servers: [{ url: '{base}/v1/', variables: { base: { default: '/api' } } }],
    paths: { '/pets/{id}': { get: { operationId: 'find', ...operation } } },
    ...more,
  };
}

function createRequest({ tools }: Plugin, args: JsonObject, settings: JsonObject = {}): PluginRequest | undefined {
  return tools[0]?.request?.(args, settings);
}

const inPath = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

describe('an OpenAPI document', () => {
  test('becomes tools; parameters and body become arguments', async () => {
    const plugin = await load(
      openapi(
        {
          summary: 'Find a pet',
          parameters: [
            inPath,
            { name: 'id', in: 'query', schema: { type: 'integer' }, description: 'Its number.' },
            { name: 'X-Trace', in: 'header', schema: {} },
            { name: 'Authorization', in: 'header', schema: {} },
          ],
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
          },
        },
        {
          components: {
            schemas: { Pet: { type: 'object', properties: { parent: { $ref: '#/components/schemas/Pet' } } } },
          },
        },
      ),
    );
    expect(plugin).toMatchObject({ title: 'Pets', source: 'openapi', kind: 'default', settings: null, notes: [] });
    expect(plugin.tools).toMatchObject([
      {
        name: 'find',
        description: 'Find a pet',
        readOnly: true,
        endpoint: `GET ${server.url}/api/v1/pets/{id}`,
        inputSchema: {
          required: ['id', '_requestBody'],
          properties: {
            id: { type: 'string' },
            id_query: { type: 'integer', description: 'Its number.' },
            'X-Trace': {},
            // It contains itself.
            _requestBody: { type: 'object', properties: { parent: {} } },
          },
        },
      },
    ]);
    expect(Object.keys(plugin.tools[0]?.inputSchema['properties'] as object)).not.toContain('Authorization');
    expect(createRequest(plugin, { id: 'a b/c', id_query: 7, 'X-Trace': 'on', _requestBody: { name: 'Rex' } })).toEqual(
      {
        method: 'GET',
        url: `${server.url}/api/v1/pets/a%20b%2Fc?id=7`,
        headers: { 'x-trace': 'on', 'content-type': 'application/json' },
        body: '{"name":"Rex"}',
        secrets: [],
      },
    );
  });

  test.each([
    [{}, [1, 2], 'q=1&q=2'],
    [{ explode: false }, [1, 2], 'q=1%2C2'],
    [{ style: 'pipeDelimited' }, ['a', 'b'], 'q=a%7Cb'],
    [{ style: 'deepObject' }, { a: 1 }, 'q%5Ba%5D=1'],
    [{}, { a: 1, b: true }, 'a=1&b=true'],
    [{ content: { 'application/json': { schema: {} } } }, { a: [1] }, 'q=%7B%22a%22%3A%5B1%5D%7D'],
  ])('sends query parameters in their style %j', async (how, value, query) => {
    const plugin = await load(openapi({ parameters: [inPath, { name: 'q', in: 'query', ...how }] }));
    expect(createRequest(plugin, { id: 'x', q: value })?.url).toBe(`${server.url}/api/v1/pets/x?${query}`);
  });

  test.each(['..', '.', ''])('never leaves its path (%j)', async (id) => {
    const plugin = await load(openapi({ parameters: [inPath] }));
    expect(() => createRequest(plugin, { id })).toThrow('"id" cannot be part of a path');
  });

  test('refuses line breaks in headers', async () => {
    const plugin = await load(openapi({ parameters: [inPath, { name: 'x-a', in: 'header' }] }));
    expect(() => createRequest(plugin, { id: '1', 'x-a': 'b\r\nc: d' })).toThrow('headers cannot have');
  });

  test.each([
    [{ type: 'http', scheme: 'bearer' }, { auth_token: 's3cret' }, { authorization: 'Bearer s3cret' }, ''],
    [
      { type: 'http', scheme: 'basic' },
      { auth_username: 'ann', auth_password: 's3cret' },
      { authorization: `Basic ${btoa('ann:s3cret')}` },
      '',
    ],
    [{ type: 'apiKey', in: 'header', name: 'X-Key' }, { auth: 's3cret' }, { 'x-key': 's3cret' }, ''],
    [{ type: 'apiKey', in: 'query', name: 'key' }, { auth: 's3cret' }, {}, '?key=s3cret'],
    [{ type: 'oauth2', flows: {} }, { auth_accessToken: 's3cret' }, { authorization: 'Bearer s3cret' }, ''],
  ])('authenticates as it says (%j)', async (scheme, settings, headers, query) => {
    const plugin = await load(
      openapi(
        { parameters: [inPath] },
        { security: [{ auth: [] }], components: { securitySchemes: { auth: scheme } } },
      ),
    );
    expect(Object.keys((plugin.settings?.['properties'] ?? {}) as object)).toEqual(Object.keys(settings));
    expect(createRequest(plugin, { id: 'x' }, settings as JsonObject)).toMatchObject({
      url: `${server.url}/api/v1/pets/x${query}`,
      headers,
      secrets: expect.arrayContaining(['s3cret']) as string[],
    });
    expect(() => createRequest(plugin, { id: 'x' })).toThrow('needs settings that are not set');
  });

  test('leaves out what it cannot call, and says so', async () => {
    const plugin = await load(
      openapi(
        { parameters: [inPath] },
        {
          paths: {
            '/pets/{id}': { get: { parameters: [inPath] } },
            '/file': { post: { requestBody: { required: true, content: { 'multipart/form-data': {} } } } },
            '/label/{x}': { get: { parameters: [{ name: 'x', in: 'path', style: 'label' }] } },
            '/other': { get: { servers: [{ url: 'ftp://example.com' }] } },
          },
        },
      ),
    );
    expect(plugin.tools.map(({ name }) => name)).toEqual(['get_pets_id']);
    expect(plugin.notes).toEqual([
      'POST /file: left out: the type of its body is not supported.',
      'GET /label/{x}: left out: the style of its parameter "x" is not supported.',
      'GET /other: left out: its server URL cannot be used.',
    ]);
  });

  test('may be YAML, and named by a manifest whose functions it describes', async () => {
    const text = 'openapi: 3.1.0\ninfo: { title: Pets }\npaths:\n  /pets:\n    get: { operationId: list }\n';
    server.answer({ '/pets.yaml': { body: text } });
    const manifest = {
      schema_version: 'v1',
      name_for_model: 'pets',
      name_for_human: 'Pets',
      auth: { type: 'service_http', authorization_type: 'bearer' },
      api: { type: 'openapi', url: 'pets.yaml' },
    };
    const plugin = await load(manifest, '/ai-plugin.json');
    expect(plugin).toMatchObject({ identifier: 'pets', title: 'Pets', tools: [{ name: 'list' }] });
    const request = createRequest(plugin, {}, { serviceToken: 's3cret' });
    expect(request).toMatchObject({ url: `${server.url}/pets`, headers: { authorization: 'Bearer s3cret' } });
  });
});

describe('names, servers and documents in other forms', () => {
  const createPaths = (paths: object, more: object = {}): object => ({ openapi: '3.0.3', info: null, paths, ...more });

  test('operations with equal names are all kept', async () => {
    const plugin = await load(
      createPaths({
        '/a': { get: { operationId: 'list' }, post: { operationId: 'list' } },
        '/a-b': { get: {} },
        '/a/b': { get: { operationId: ' ' } },
        '/a_b': { get: { operationId: 7 } },
      }),
    );
    expect(plugin.tools.map(({ name }) => name)).toEqual(['list', 'post_a', 'get_a_b', 'get_a_b_2', 'get_a_b_3']);
  });

  test.each<[servers: unknown, url: string]>([
    [[{ url: 'wss://a.example' }, { url: 'https://b.example/v1/' }], 'https://b.example/v1'],
    [[{ url: 'https://{region}.example' }, {}, null, { url: 'https://b.example' }], 'https://b.example'],
    [[{ url: 'https://{r}.example', variables: { r: { enum: ['eu', 'us'] } } }], 'https://eu.example'],
    [[{ url: 'https://a.example:{port}', variables: { port: { default: 8443 } } }], 'https://a.example:8443'],
  ])('the first usable one of the servers %j is used', async (servers, url) => {
    const plugin = await load(createPaths({ '/a': { get: { operationId: 'list' } } }, { servers }));
    expect(createRequest(plugin, {})?.url).toBe(`${url}/a`);
  });

  test.each([
    'openapi: 3.1\npaths:\n  /a:\n    get: { operationId: list }\n',
    'openapi: 3\npaths:\n  /a:\n    get: { operationId: list }\n',
    'openapi: 3.0.3\nx-a: &a { operationId: list }\npaths:\n  /a:\n    get: *a\n',
    'openapi: 3.0.3\nx-a: &a { summary: s }\npaths:\n  /a:\n    get:\n      <<: *a\n      operationId: list\n',
    'openapi: 3.0.3\npaths:\n  /a:\n    get: { operationId: no, operationId: list }\n',
  ])('%j is read', async (text) => {
    expect((await load(text, '/openapi.yaml')).tools.map(({ name }) => name)).toEqual(['list']);
  });

  test('aliases that multiply are refused', async () => {
    const layer = (name: string, inner: string): string => `${name}: &${name} [${`${inner},`.repeat(10)}]\n`;
    const bomb = `${layer('a', 'x')}${layer('b', '*a')}${layer('c', '*b')}${layer('d', '*c')}openapi: 3.0.3\npaths: *d\n`;
    await expect(load(bomb, '/openapi.yaml')).rejects.toThrow('neither JSON nor YAML');
  });
});

describe('a read-only property', () => {
  const item = { type: 'object', required: ['id', 'name'], properties: { id: { readOnly: true }, name: {} } };
  const id = { type: 'integer', readOnly: true };

  test.each<[object, object]>([
    [item, { name: 'x' }],
    [{ type: 'array', items: item }, [{ name: 'x' }]],
    [{ additionalProperties: item }, { a: { name: 'x' } }],
    [{ oneOf: [item, { required: ['other'] }] }, { name: 'x' }],
    [{ properties: { id: { allOf: [id] } }, required: ['id'] }, {}],
    [{ allOf: [{ properties: { id } }, { required: ['id'] }] }, {}],
    [{ required: ['id'], allOf: [{ allOf: [{ properties: { id } }] }] }, {}],
    [{ properties: { required: item } }, { required: { name: 'x' } }],
  ])('of %j is not demanded', async (schema, value) => {
    for (const version of ['3.0.3', '3.1.0']) {
      const requestBody = { required: true, content: { 'application/json': { schema } } };
      const plugin = await load({ ...openapi({ parameters: [inPath], requestBody }), openapi: version });
      const check = (body: object) =>
        checkArguments(plugin.tools[0]?.inputSchema ?? {}, { id: 'a', _requestBody: body } as JsonObject);
      expect(check(value)).toBeNull();
    }
  });

  test.each<[object]>([
    [item],
    [{ properties: { id }, required: ['other'] }],
    [{ properties: { id: { readOnly: false } }, required: ['id'] }],
    [{ properties: { readOnly: { type: 'boolean' } }, required: ['readOnly'] }],
    [{ properties: { a: { properties: { id } }, id: {} }, required: ['id'] }],
  ])('of %j leaves other properties required', async (schema) => {
    const requestBody = { required: true, content: { 'application/json': { schema: { type: 'object', ...schema } } } };
    const plugin = await load(openapi({ parameters: [inPath], requestBody }));
    expect(checkArguments(plugin.tools[0]?.inputSchema ?? {}, { id: 'a', _requestBody: {} })).not.toBeNull();
  });
});

describe('references to other documents', () => {
  const withSchema = (schema: object, more: object = {}): object =>
    openapi({ parameters: [{ ...inPath, schema }] }, more);

  test('are read with the fetch of the plugin, relative to their document', async () => {
    server.answer({
      '/more/types.json': { body: { Id: { $ref: 'id.yaml#/Id' } } },
      '/more/id.yaml': { body: 'Id:\n  type: string\n  maxLength: 9\n' },
    });
    const plugin = await load(withSchema({ $ref: 'more/types.json#/Id' }));
    expect(plugin.tools[0]?.inputSchema).toMatchObject({ properties: { id: { type: 'string', maxLength: 9 } } });
    expect(server.asked.map(({ url }) => url)).toEqual(['/openapi.json', '/more/types.json', '/more/id.yaml']);
  });

  test.each(['file:///etc/passwd', 'ftp://example.com/x', '/etc/passwd#/x'])('never read %s', async ($ref) => {
    await expect(load(withSchema({ $ref }))).rejects.toMatchObject({ code: 'bad_response' });
  });

  test('end after a number of documents', async () => {
    server.answer(
      Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [`/${at}.json`, { body: { next: { $ref: `${at + 1}.json` } } }]),
      ),
    );
    await expect(load(withSchema({ $ref: '0.json' }))).rejects.toThrow('refers to more than 20 other documents');
  });

  test('that grow without end are left out, and end soon', async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => {
        const next = { $ref: `#/components/schemas/s${at + 1}` };
        return [`s${at}`, at === 29 ? { type: 'string' } : { type: 'object', properties: { a: next, b: next } }];
      }),
    );
    const started = performance.now();
    const bomb = withSchema({ $ref: '#/components/schemas/s0' }, { components: { schemas } });
    await expect(load(bomb)).rejects.toThrow('its schema is too large');
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('a document that is too large or too deep is refused', async () => {
    await expect(load('x'.repeat(2_100_000))).rejects.toThrow('exceeds the limit');
    await expect(load('{"a":'.repeat(1_000) + '1' + '}'.repeat(1_000))).rejects.toThrow('nested more than 200');
    await expect(load(`a: ${'['.repeat(5_000)}${']'.repeat(5_000)}`)).rejects.toMatchObject({ code: 'bad_response' });
  });
});

describe('a reference that leads nowhere', () => {
  const GONE = '#/components/schemas/Gone';
  const json = (schema: object): object => ({ content: { 'application/json': { schema } } });

  /** Where an operation may use it. */
  test.each<[string, object]>([
    ['a body', { requestBody: json({ $ref: GONE }) }],
    ['a body of its own', { requestBody: { $ref: '#/components/requestBodies/Gone' } }],
    ['a member of a body', { requestBody: json({ type: 'object', properties: { a: { items: { $ref: GONE } } } }) }],
    ['an alternative', { requestBody: json({ oneOf: [{ type: 'string' }, { $ref: GONE }] }) }],
    ['a schema that refers to it', { requestBody: json({ $ref: '#/components/schemas/Chain' }) }],
    ['a parameter', { parameters: [{ $ref: '#/components/parameters/Gone' }] }],
    ['the schema of a parameter', { parameters: [{ name: 'q', in: 'query', schema: { $ref: GONE } }] }],
    ['another document', { requestBody: json({ $ref: 'missing.json#/A' }) }],
    ['a place that does not exist in another document', { requestBody: json({ $ref: 'there.json#/B' }) }],
    ['a file', { requestBody: json({ $ref: 'file:///etc/passwd' }) }],
    ['an invalid escape', { requestBody: json({ $ref: '#/components/schemas/%zz' }) }],
    ['an invalid escape in a parameter', { parameters: [{ $ref: '#/components/parameters/a%' }] }],
    ['an invalid URL', { requestBody: json({ $ref: 'http://[bad/x' }) }],
    ['an invalid escape in another document', { requestBody: json({ $ref: 'odd.json#/A' }) }],
    ['a member that is null', { requestBody: json({ $ref: '#/components/parameters/A/B' }) }],
  ])('in %s leaves out that operation and says so', async (_what, operation) => {
    server.answer({
      '/there.json': { body: { A: { type: 'string' } } },
      '/odd.json': { body: { A: { properties: { a: { $ref: '#/%zz' } } } } },
    });
    const plugin = await load({
      openapi: '3.1.0',
      info: { title: 'A', version: '1' },
      paths: {
        '/bad': { post: { operationId: 'bad', ...operation } },
        '/good': { post: { operationId: 'good', requestBody: json({ $ref: '#/components/schemas/Fine' }) } },
      },
      components: {
        parameters: null,
        schemas: { Fine: { type: 'object', default: null }, Chain: { allOf: [{ $ref: GONE }] } },
        responses: { Unused: { $ref: '#/%zz' } },
      },
    });
    expect(plugin.tools.map(({ name }) => name)).toEqual(['good']);
    expect(plugin.notes).toEqual([expect.stringMatching(/^POST \/bad: left out: its reference ".+" leads nowhere/)]);
  });

  test('does not matter where nothing is sent', async () => {
    const { tools, notes } = await load(
      openapi({
        parameters: [inPath],
        responses: { 200: json({ $ref: GONE }), default: { $ref: '#/%zz' }, 400: { $ref: 'http://' } },
        'x-example': { $ref: '#/%zz' },
        requestBody: { content: { 'application/xml': { schema: { $ref: GONE } }, 'application/json': { schema: {} } } },
      }),
    );
    expect(tools).toHaveLength(1);
    expect(notes).toEqual([]);
  });

  test('in a whole path leaves out that path', async () => {
    const document = openapi({ parameters: [inPath] }) as { paths: object };
    const plugin = await load({ ...document, paths: { ...document.paths, '/x': { $ref: '#/paths/~1none' } } });
    expect(plugin.tools).toHaveLength(1);
    expect(plugin.notes).toEqual([expect.stringContaining('/x: left out')]);
  });
});
