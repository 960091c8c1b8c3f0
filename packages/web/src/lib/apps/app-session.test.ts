import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { describe, expect, it } from 'vitest';
import type { AppCall, AppHost } from './app-session.ts';
import { AppSession } from './app-session.ts';
import { toCallToolResult } from './call-result.ts';
import { readFiles } from './download.ts';
import { needsList, toNeeds } from './app-policy.ts';

const CALL: AppCall = {
  arguments: { zone: 'UTC' },
  isPartial: false,
  result: { content: [{ type: 'text', text: 'noon' }] },
  cancelled: false,
};

/** A session and what it sent; `host` overrides what the page does. */
function open(host: Partial<AppHost> = {}, call: AppCall = CALL) {
  const sent: JsonObject[] = [];
  const done: unknown[] = [];
  const session = new AppSession({
    post: (message) => sent.push(message),
    context: { theme: 'light' },
    call,
    info: { name: 'toolyard', version: '1' },
    sandbox: {},
    host: {
      callTool: (name, args) => Promise.resolve({ called: name, args }),
      request: (method) => Promise.resolve({ method }),
      openLink: () => Promise.resolve(true),
      download: () => Promise.resolve(false),
      sendMessage: (text) => Promise.resolve(done.push(['message', text]) > 0),
      updateContext: (text) => done.push(['context', text]),
      display: (mode) => Promise.resolve(mode),
      resized: (height) => done.push(['height', height]),
      log: (level, text) => done.push(['log', level, text]),
      ready: (modes) => done.push(['ready', ...modes]),
      closed: () => done.push('closed'),
      ...host,
    },
  });
  let id = 0;
  /** Sends a request, and resolves with its response. */
  async function request(method: string, params: JsonObject = {}): Promise<JsonObject> {
    const own = (id += 1);
    session.receive({ jsonrpc: '2.0', id: own, method, params });
    for (let waits = 0; waits < 20 && !sent.some((message) => message['id'] === own); waits++) await Promise.resolve();
    return sent.find((message) => message['id'] === own) ?? {};
  }
  async function initialize(): Promise<void> {
    await request('ui/initialize');
    session.receive({ jsonrpc: '2.0', method: 'ui/notifications/initialized' });
  }
  return { session, sent, done, request, initialize, methods: () => sent.map(({ method }) => method) };
}

describe('the session of an app', () => {
  it('sends input and result after the handshake, the result once', async () => {
    const app = open();
    expect(await app.request('ui/initialize')).toMatchObject({
      result: { protocolVersion: '2026-01-26', hostInfo: { name: 'toolyard' }, hostContext: { theme: 'light' } },
    });
    expect(app.methods()).not.toContain('ui/notifications/tool-input');
    await app.initialize();
    app.session.update(CALL);
    expect(app.sent.filter(({ method }) => method !== undefined)).toEqual([
      { jsonrpc: '2.0', method: 'ui/notifications/tool-input', params: { arguments: { zone: 'UTC' } } },
      { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: CALL.result },
    ]);
  });

  it('sends arguments while the model writes them, then the whole, then the result', async () => {
    const app = open({}, { ...CALL, arguments: {}, isPartial: true, result: null });
    await app.initialize();
    app.session.update({ ...CALL, arguments: { zone: 'U' }, isPartial: true, result: null });
    app.session.update({ ...CALL, result: null });
    app.session.update(CALL);
    expect(app.sent.flatMap(({ method, params }) => (method === undefined ? [] : [[method, params]]))).toEqual([
      ['ui/notifications/tool-input-partial', { arguments: {} }],
      ['ui/notifications/tool-input-partial', { arguments: { zone: 'U' } }],
      ['ui/notifications/tool-input', { arguments: { zone: 'UTC' } }],
      ['ui/notifications/tool-result', CALL.result],
    ]);
  });

  it('knows the display modes that an app supports', async () => {
    const app = open();
    await app.request('ui/initialize', { appCapabilities: { availableDisplayModes: ['inline', 'odd'] } });
    app.session.receive({ jsonrpc: '2.0', method: 'ui/notifications/initialized' });
    expect(app.done).toEqual([['ready', 'inline']]);
  });

  it('sends a result that comes later, and that a call was cancelled', async () => {
    const later = open({}, { ...CALL, result: null });
    await later.initialize();
    expect(later.methods()).not.toContain('ui/notifications/tool-result');
    later.session.update(CALL);
    expect(later.methods()).toContain('ui/notifications/tool-result');
    const cancelled = open({}, { ...CALL, result: null, cancelled: true });
    await cancelled.initialize();
    expect(cancelled.methods()).toContain('ui/notifications/tool-cancelled');
  });

  it('rejects everything but the handshake before it, and unknown methods after it', async () => {
    const app = open();
    for (const method of ['tools/call', 'ui/message', 'resources/read']) {
      expect(await app.request(method, { name: 'x' })).toMatchObject({ error: { code: -32002 } });
    }
    app.session.receive({ jsonrpc: '2.0', method: 'ui/notifications/initialized' });
    expect(app.session.isReady).toBe(false);
    await app.initialize();
    expect(await app.request('sampling/createMessage')).toMatchObject({ error: { code: -32601 } });
    expect(await app.request('ping')).toMatchObject({ result: {} });
  });

  it('passes requests to the page, and its refusals back', async () => {
    const app = open({ callTool: () => Promise.reject(new Error('denied')) });
    await app.initialize();
    expect(await app.request('tools/call', { name: 'x' })).toMatchObject({ error: { message: 'denied' } });
    expect(await app.request('tools/call', { name: 7 })).toMatchObject({
      error: { message: '"name" must be a string.' },
    });
    expect(await app.request('ui/open-link', { url: 'https://a.example' })).toMatchObject({
      result: { isError: false },
    });
    expect(await app.request('ui/download-file', { contents: [] })).toMatchObject({ result: { isError: true } });
    expect(await app.request('ui/request-display-mode', { mode: 'pip' })).toMatchObject({ result: { mode: 'pip' } });
    expect(await app.request('ui/request-display-mode', { mode: 'popup' })).toHaveProperty('error');
    expect(await app.request('resources/list')).toMatchObject({ result: { method: 'resources/list' } });
    const content = [{ type: 'text', text: 'a' }, { type: 'image', data: '' }, 7];
    await app.request('ui/message', { role: 'user', content });
    await app.request('ui/update-model-context', { content, structuredContent: { b: 1 } });
    await app.request('ui/update-model-context', {});
    expect(await app.request('ui/update-model-context', { content: [{ text: 'x'.repeat(40_001) }] })).toHaveProperty(
      'error',
    );
    expect(app.done).toEqual([
      ['ready', 'inline', 'fullscreen', 'pip'],
      ['message', 'a'],
      ['context', 'a\n\n{\n  "b": 1\n}'],
      ['context', null],
    ]);
  });

  it('limits open requests, and ignores what is not JSON-RPC', async () => {
    const app = open({ callTool: () => new Promise(() => undefined) });
    await app.initialize();
    for (let call = 0; call < 16; call++) void app.request('tools/call', { name: 'x' });
    expect(await app.request('tools/call', { name: 'x' })).toMatchObject({ error: { code: -32000 } });
    const before = app.sent.length;
    for (const odd of [null, 'x', 7, [], {}, { method: 7 }, { id: {}, method: 'ping' }, { id: 1 }] as JsonValue[]) {
      app.session.receive(odd);
    }
    expect(app.sent).toHaveLength(before);
  });

  it('reports size, logs and the wish to close, and ends after the teardown', async () => {
    const app = open();
    await app.initialize();
    const notify = (method: string, params: JsonObject) => app.session.receive({ jsonrpc: '2.0', method, params });
    notify('ui/notifications/size-changed', { height: 300 });
    notify('ui/notifications/size-changed', { height: 'tall' });
    notify('notifications/message', { level: 'error', data: { a: 1 } });
    notify('ui/notifications/request-teardown', {});
    expect(app.done).toEqual([
      ['ready', 'inline', 'fullscreen', 'pip'],
      ['height', 300],
      ['log', 'error', '{"a":1}'],
      'closed',
    ]);
    const ended = app.session.teardown();
    const [teardown] = app.sent.slice(-1);
    expect(teardown?.['method']).toBe('ui/resource-teardown');
    app.session.receive({ jsonrpc: '2.0', id: teardown?.['id'] ?? null, result: {} });
    await ended;
    const before = app.sent.length;
    app.session.receive({ jsonrpc: '2.0', id: 99, method: 'ping' });
    expect(app.sent).toHaveLength(before);
  });
});

it('gives apps results without stored files', () => {
  const result = toCallToolResult({
    isError: true,
    outcome: 'done',
    structured: { a: 1 },
    content: [
      { type: 'text', text: 't' },
      { type: 'image', mimeType: 'image/png', source: { blob: 'sha' } },
      { type: 'resource', uri: 'a://b', text: 'x', mimeType: 'text/plain' },
      { type: 'resource', uri: 'a://c' },
    ],
  });
  expect(result).toEqual({
    isError: true,
    structuredContent: { a: 1 },
    content: [
      { type: 'text', text: 't' },
      { type: 'resource', resource: { uri: 'a://b', text: 'x', mimeType: 'text/plain' } },
      { type: 'resource_link', uri: 'a://c', name: 'a://c' },
    ],
  });
});

it('saves embedded files under a harmless name, and follows no link', () => {
  const files = readFiles([
    { type: 'resource', resource: { uri: 'file:///../../.bashrc', text: 'x' } },
    { type: 'resource', resource: { uri: 'a://b/c d<e>.png', blob: 'AA==' } },
    { type: 'resource_link', uri: 'https://a.example/x' },
    7,
  ]);
  expect(files.map(({ name, content }) => [name, content.size])).toEqual([
    ['bashrc', 1],
    ['c d_e_.png', 1],
  ]);
});

it('lists what an app declares, without invalid origins', () => {
  const declared = {
    uri: 'ui://a',
    html: '',
    connect: ['https://A.example', 'https://x;y'],
    resources: [],
    frames: [],
  };
  const needs = toNeeds({ ...declared, baseUris: [], permissions: ['clipboard-write'] });
  expect(needsList(needs)).toEqual({ hosts: ['https://a.example'], permissions: ['clipboardWrite'] });
});
