import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { eventually, listenOnLoopback } from '@toolyard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from './start-server.ts';
import { startServer } from './start-server.ts';

/** Each place that accepts a key gets its own canary; this is their common prefix. */
const CANARY = 'canary-9f2c';
const KEYS = {
  environment: `${CANARY}-environment`,
  file: `${CANARY}-file`,
  stored: `${CANARY}-stored`,
  changed: `${CANARY}-changed`,
  tried: `${CANARY}-tried`,
  query: `${CANARY}-query`,
  mcpHeader: `${CANARY}-mcp-header`,
  mcpVariable: `${CANARY}-mcp-variable`,
  token: `${CANARY}-token`,
  secret: `${CANARY}-secret-of-the-machine`,
};

let folder: string;
let logged: string[];
let server: RunningServer | undefined;
let upstream: { url: string; seen: Set<string>; close(): Promise<void> };
/** Every response, with its request. */
let responses: { asked: string; answer: string }[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-canary-'));
  logged = [];
  responses = [];
  upstream = await startBabbler();
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await upstream.close();
  rmSync(folder, { recursive: true });
});

/**
 * A server that repeats every secret of a request in its errors, in all the ways a careless server might. Every second
 * response begins as a success.
 */
async function startBabbler(): Promise<typeof upstream> {
  const seen = new Set<string>();
  let count = 0;
  const http = createServer((incoming: IncomingMessage, response: ServerResponse) => {
    const secrets = [...Object.values(incoming.headers).flat(), incoming.url ?? '']
      .flatMap((value) => (value ?? '').match(new RegExp(`${CANARY}[\\w-]*`, 'g')) ?? [])
      .filter((secret) => secret !== '');
    for (const secret of secrets) seen.add(secret);
    const errorText = `your key ${secrets.join(' and ')} is wrong`;
    incoming.resume().on('end', () => {
      count += 1;
      // An MCP client would wait for the rest of a truncated response.
      const kind = incoming.url?.startsWith('/mcp') === true ? (count % 2) * 2 : count % 3;
      if (kind === 0) {
        response.writeHead(401, {
          'content-type': 'application/json',
          'www-authenticate': `Bearer realm="${errorText}"`,
        });
        response.end(JSON.stringify({ error: { message: errorText, code: 'invalid_api_key', param: errorText } }));
      } else if (kind === 1) {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'x-echo': errorText });
        response.write('data: {"choices":[{"index":0,"delta":{"content":"Half an ans"}}]}\n\n');
        response.end(`data: ${JSON.stringify({ error: { message: errorText } })}\n\n`);
      } else {
        response.writeHead(400, { 'content-type': 'text/plain' }).end(`${errorText}\n    at handler (${errorText})`);
      }
    });
  });
  const { origin, close } = await listenOnLoopback(http);
  return { url: `${origin}/v1`, seen, close };
}

async function start(): Promise<void> {
  const mcpServers = {
    web: { url: upstream.url.replace('/v1', '/mcp'), headers: { authorization: `Bearer ${KEYS.mcpHeader}` } },
    program: {
      command: process.execPath,
      args: ['-e', 'console.error("started with " + process.env.SECRET_KEY); process.exit(3)'],
      env: { SECRET_KEY: KEYS.mcpVariable },
    },
  };
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }));
  const providers = [
    { id: 'of-file', baseUrl: upstream.url, apiKey: KEYS.file },
    { id: 'with-query', baseUrl: `${upstream.url}?api-version=1&key=${KEYS.query}` },
  ];
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ providers }));
  server = await startServer({
    dataDir: folder,
    host: '127.0.0.1',
    port: 0,
    token: KEYS.token,
    allowHosts: [],
    ui: false,
    uiSettings: {},
    uiMcpProxy: false,
    builtInServers: [],
    flagServers: [],
    env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: KEYS.environment, TOOLYARD_SECRET: KEYS.secret },
    log: (line) => logged.push(line),
  });
}

async function ask(method: string, path: string, json?: unknown): Promise<unknown> {
  const response = await fetch(`${server?.url ?? ''}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${KEYS.token}`,
      ...(json === undefined && method === 'GET' ? {} : { 'content-type': 'application/json' }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    // Event streams may never end; every other response arrives within this time, even under load.
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text().catch(() => '');
  responses.push({ asked: `${method} ${path}`, answer: JSON.stringify([...response.headers]) + text });
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Reads the event stream for as long as the server runs. */
async function follow(): Promise<void> {
  const response = await fetch(`${server?.url ?? ''}/api/events`, {
    headers: { authorization: `Bearer ${KEYS.token}` },
  });
  const entry = { asked: 'GET /api/events', answer: '' };
  responses.push(entry);
  const reading = async (): Promise<void> => {
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) entry.answer += piece;
  };
  void reading().catch(() => undefined);
}

const message = { role: 'user', parts: [{ type: 'text', text: 'hi' }] };
/** A body for every route that makes a provider or an MCP server do work. */
const CALLS: Readonly<Record<string, JsonObject>> = {
  '/webapi/chat': { model: 'm', messages: [message] },
  embeddings: { model: 'm', input: ['hi'] },
  images: { model: 'm', prompt: 'a cat' },
  speech: { model: 'm', text: 'hi' },
  transcriptions: { model: 'm', audio: { type: 'audio', mimeType: 'audio/wav', source: { data: 'AAAA' } } },
  objects: { model: 'm', messages: [message], name: 'thing', schema: { type: 'object' } },
};

/** Every operation of the OpenAPI document, so that new routes are covered without changing this test. */
async function operations(): Promise<{ method: string; path: string }[]> {
  const document = (await ask('GET', '/api/openapi.json')) as { paths: Record<string, JsonObject> };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
}

function* filesIn(place: string): Generator<string> {
  for (const name of readdirSync(place)) {
    const path = join(place, name);
    if (statSync(path).isDirectory()) yield* filesIn(path);
    else yield path;
  }
}

test('keeps every key out of responses, events, exports, logs and files', async () => {
  await start();
  await follow();
  const stored = { id: 'stored', label: 'Stored', baseUrl: upstream.url, apiKey: KEYS.stored };
  await ask('POST', '/api/providers', stored);
  await ask('POST', '/api/providers', { ...stored, id: 'changed' });
  await ask('PATCH', '/api/providers/changed', { apiKey: KEYS.changed });
  const refused = await ask('POST', '/api/providers', {
    ...stored,
    id: 'query',
    baseUrl: `${upstream.url}?key=${KEYS.query}`,
  });
  expect(refused).toMatchObject({ status: 400, detail: expect.stringContaining('contains a key in') as string });
  await ask('POST', '/api/providers/test', { baseUrl: upstream.url, apiKey: KEYS.tried });
  // The validation error repeats the invalid field, but not the key beside it.
  await ask('POST', '/api/providers', { ...stored, label: '' });
  await ask('POST', '/api/providers', { ...stored, baseUrl: 'nonsense' });
  await ask('POST', '/api/providers', { ...stored, id: 'broken', apiKey: `${KEYS.stored}\n${KEYS.stored}` });
  await ask('POST', '/api/session', { token: `${CANARY}-wrong` });

  const views = (await ask('GET', '/api/providers')) as { items: { id: string }[] };
  const ids = views.items.map(({ id }) => id).filter((id) => id !== 'demo');
  expect(ids).toEqual(expect.arrayContaining(['of-file', 'with-query', 'stored', 'changed']));
  expect(ids).toHaveLength(5);
  for (const id of ids) {
    for (let again = 0; again < 3; again++) await ask('POST', `/webapi/chat/${id}`, CALLS['/webapi/chat']);
    for (const ability of ['embeddings', 'images', 'speech', 'transcriptions', 'objects']) {
      await ask('POST', `/api/providers/${id}/${ability}`, CALLS[ability]);
    }
    await ask('POST', '/api/conversations', {
      id: `with-${id}`,
      configuration: { model: { providerId: id, modelId: 'm' } },
    });
    await ask('POST', `/api/conversations/with-${id}/messages`, { parts: message.parts });
  }
  for (const id of ids) {
    await eventually(
      async () => {
        const view = (await ask('GET', `/api/conversations/with-${id}`)) as { activeRun: unknown };
        return view.activeRun === null;
      },
      { everyMs: 100 },
    );
  }
  await ask('GET', '/api/models?refresh=1');
  await ask('GET', '/api/mcp/servers');

  const fill: Record<string, string> = { key: 'defaults', sha256: 'f'.repeat(64) };
  for (const { method, path } of await operations()) {
    if (path === '/api/events' || path === '/api/session') continue;
    for (const id of [`with-${ids[0] ?? ''}`, ids[0] ?? '', 'web', 'program']) {
      const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => fill[name] ?? id);
      // Deleting would remove what the later requests read.
      if (method === 'DELETE') continue;
      await ask(method, target, method === 'GET' ? undefined : {});
      if (target === path) break;
    }
  }
  for (const format of ['json', 'markdown']) await ask('GET', `/api/conversations/with-stored/export?format=${format}`);

  // Each key was sent, and the server did repeat it.
  for (const [where, key] of Object.entries(KEYS)) {
    if (['token', 'secret', 'mcpVariable'].includes(where)) continue;
    expect([where, upstream.seen.has(key)]).toEqual([where, true]);
  }
  expect(responses.length).toBeGreaterThan(120);

  for (const { asked, answer } of responses)
    expect([asked, answer.includes(CANARY) ? answer : null]).toEqual([asked, null]);
  expect(logged.filter((line) => line.includes(CANARY))).toEqual([]);

  await server?.close();
  server = undefined;
  const isOfThePerson = /(config|mcp|server)\.json$/;
  for (const file of filesIn(folder)) {
    if (!isOfThePerson.test(file)) expect([file, readFileSync(file, 'latin1').includes(CANARY)]).toEqual([file, false]);
  }
});

test('has no field named like a key in any response', async () => {
  await start();
  await ask('POST', '/api/providers', { id: 'stored', label: 'S', baseUrl: upstream.url, apiKey: KEYS.stored });
  for (const path of ['/api/providers', '/api/models', '/api/settings', '/api/mcp/servers']) {
    const walk = (value: unknown): string[] =>
      Array.isArray(value)
        ? value.flatMap(walk)
        : isJsonObject(value)
          ? Object.entries(value).flatMap(([name, inner]) => [name, ...walk(inner)])
          : [];
    expect(walk(await ask('GET', path)).filter((name) => /^(api_?key|secret|password|token)$/i.test(name))).toEqual([]);
  }
});
