import type { JsonObject } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { McpMount, McpMountOptions } from './create-mcp-mount.ts';
import { createMcpMount } from './create-mcp-mount.ts';
import {
  ask,
  askModern,
  exampleServer,
  initialize,
  INITIALIZE,
  readMessages,
  URL_OF_MOUNT,
} from './test-fixtures/ask.ts';

function mounted(options: Partial<McpMountOptions> = {}): McpMount {
  const mount = createMcpMount({ createServer: exampleServer, ...options });
  onTestFinished(() => mount.close());
  return mount;
}

const MINUTE_MS = 60_000;
const callHello = { id: 5, method: 'tools/call', params: { name: 'hello', arguments: {} } };

describe('both eras at one URL', () => {
  test('answers a modern client without a session, with a server of its era', async () => {
    const mount = mounted();
    const answer = await askModern(mount, 'tools/call', { name: 'hello', arguments: {} });
    expect(await answer.json()).toMatchObject({ result: { content: [{ text: 'hello, modern' }] } });
    expect(mount.sessionCount).toBe(0);
  });

  test('creates a session for a legacy client and answers in it', async () => {
    const mount = mounted();
    const session = await initialize(mount);
    const stream = readMessages(await ask(mount, callHello, { session }));
    await stream.next();
    expect(await stream.next()).toMatchObject({ result: { content: [{ text: 'hello, legacy' }] } });
    expect(mount.sessionCount).toBe(1);
  });

  test('resumes a broken stream by Last-Event-ID', async () => {
    const mount = mounted();
    const session = await initialize(mount);
    const call = { id: 6, method: 'tools/call', params: { name: 'hidden-hello', arguments: {} } };
    const first = readMessages(await ask(mount, call, { session }));
    const primed = await first.next();
    expect(await first.next()).toBeUndefined();
    const headers = { 'last-event-id': primed?.lastEventId ?? '' };
    const rest = readMessages(await ask(mount, undefined, { session, headers }));
    expect(await rest.next()).toMatchObject({
      id: 6,
      result: { content: [{ text: 'hello from behind a cut stream' }] },
    });
  });

  test('rejects resuming after an event that was dropped', async () => {
    const mount = mounted();
    const session = await initialize(mount);
    const answer = await ask(mount, undefined, { session, headers: { 'last-event-id': '999' } });
    expect(answer.status).toBe(400);
  });

  test('rejects requests without a session: 400 if the method supports sessions, else 405', async () => {
    const mount = mounted();
    expect((await ask(mount, callHello)).status).toBe(400);
    expect((await ask(mount, undefined)).status).toBe(405);
    expect((await ask(mount, callHello, { session: 'unheard-of' })).status).toBe(404);
  });
});

describe('change notifications', () => {
  test('reach a legacy client on its own stream; of resources only subscribed ones', async () => {
    const mount = mounted();
    const session = await initialize(mount);
    const stream = readMessages(await ask(mount, undefined, { session }));
    await (
      await ask(mount, { id: 7, method: 'resources/subscribe', params: { uri: 'test://note' } }, { session })
    ).text();
    mount.announce.resourceUpdated('test://another');
    mount.announce.resourceUpdated('test://note');
    expect(await stream.next()).toMatchObject({ params: { uri: 'test://note' } });
    mount.announce.toolsChanged();
    expect(await stream.next()).toMatchObject({ method: 'notifications/tools/list_changed' });
    await (
      await ask(mount, { id: 8, method: 'resources/unsubscribe', params: { uri: 'test://note' } }, { session })
    ).text();
    mount.announce.resourceUpdated('test://note');
    mount.announce.resourcesChanged();
    expect(await stream.next()).toMatchObject({ method: 'notifications/resources/list_changed' });
  });

  test('reach a subscribed modern client', async () => {
    const mount = mounted();
    const stream = readMessages(
      await askModern(mount, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
    );
    expect(await stream.next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    mount.announce.toolsChanged();
    expect(await stream.next()).toMatchObject({ method: 'notifications/tools/list_changed' });
  });
});

describe('sessions', () => {
  test('an idle session ends after the timeout, not before', async () => {
    const clock = createFakeClock();
    const mount = mounted({ clock });
    const session = await initialize(mount);
    await clock.advance(29 * MINUTE_MS);
    await (await ask(mount, callHello, { session })).text();
    await clock.advance(29 * MINUTE_MS);
    expect(mount.sessionCount).toBe(1);
    await clock.advance(2 * MINUTE_MS);
    expect((await ask(mount, callHello, { session })).status).toBe(404);
  });

  test('a session with an open stream stays', async () => {
    const clock = createFakeClock();
    const mount = mounted({ clock });
    const session = await initialize(mount);
    const stream = readMessages(await ask(mount, undefined, { session }));
    await clock.advance(300 * MINUTE_MS);
    expect(mount.sessionCount).toBe(1);
    await stream.stop();
    await clock.advance(30 * MINUTE_MS);
    expect(mount.sessionCount).toBe(0);
  });

  test('DELETE ends a session', async () => {
    const mount = mounted();
    const session = await initialize(mount);
    expect((await ask(mount, undefined, { session, method: 'DELETE' })).status).toBe(200);
    expect((await ask(mount, callHello, { session })).status).toBe(404);
    expect(mount.sessionCount).toBe(0);
  });

  test('at the limit a new session replaces the one idle longest, but never a busy one', async () => {
    const clock = createFakeClock();
    const mount = mounted({ clock, maxSessions: 2 });
    const first = await initialize(mount);
    await clock.advance(10);
    const second = await initialize(mount);
    await clock.advance(10);
    const stream = readMessages(await ask(mount, undefined, { session: first }));
    const third = await initialize(mount);
    expect((await ask(mount, callHello, { session: second })).status).toBe(404);
    await ask(mount, undefined, { session: third });
    const refused = await ask(mount, INITIALIZE);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('10');
    expect(mount.sessionCount).toBe(2);
    await stream.stop();
  });

  test("knowing a session id gives no access to another user's session", async () => {
    const mount = mounted();
    const session = await initialize(mount, { owner: 'ann' });
    expect((await ask(mount, callHello, { session, owner: 'bob' })).status).toBe(404);
    expect((await ask(mount, undefined, { session, owner: 'bob', method: 'DELETE' })).status).toBe(404);
    expect((await ask(mount, callHello, { session, owner: 'ann' })).status).toBe(200);
  });

  test('a failed initialize leaves no session behind', async () => {
    const mount = mounted();
    const answer = await ask(mount, { id: 0, method: 'initialize' });
    expect(answer.ok).toBe(false);
    expect(mount.sessionCount).toBe(0);
  });
});

describe('access', () => {
  const hello = (headers: Record<string, string>): { headers: Record<string, string> } => ({ headers });

  test.each([
    ['a foreign name that resolves here', { host: 'evil.example' }],
    ['an empty name', { host: '' }],
    ['a page of another host', { origin: 'https://evil.example' }],
    ['a page at another port of this machine', { origin: 'http://localhost:3000' }],
    ['a page without an origin', { origin: 'null' }],
  ])('%s is rejected', async (_what, headers) => {
    const mount = mounted();
    expect((await ask(mount, INITIALIZE, hello(headers))).status).toBe(403);
    expect(mount.sessionCount).toBe(0);
  });

  test.each([
    ['localhost', { host: 'localhost:8700', origin: 'http://localhost:8700' }],
    ['127.0.0.1', { host: '127.0.0.1:8700', origin: 'http://127.0.0.1:8700' }],
    ['[::1]', { host: '[::1]:8700' }],
  ])('%s is this machine', async (_what, headers) => {
    expect((await ask(mounted(), INITIALIZE, hello(headers))).status).toBe(200);
  });

  test('a page of an allowed origin may send requests and read responses', async () => {
    const origin = 'https://app.example';
    const mount = mounted({ allowedOrigins: [origin] });
    const may = await ask(mount, undefined, { method: 'OPTIONS', headers: { origin } });
    expect(may.status).toBe(204);
    expect(may.headers.get('access-control-allow-headers')).toContain('mcp-session-id');
    const answer = await ask(mount, INITIALIZE, hello({ origin }));
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-expose-headers')).toContain('mcp-session-id');
  });

  test('configured names replace the default', async () => {
    const mount = mounted({ allowedHosts: ['mcp.example'] });
    expect((await ask(mount, INITIALIZE, hello({ host: 'mcp.example:8443' }))).status).toBe(200);
    expect((await ask(mount, INITIALIZE)).status).toBe(403);
  });
});

describe('bad requests', () => {
  const post = (mount: McpMount, body: string, type = 'application/json'): Promise<Response> =>
    mount.fetch(
      new Request(URL_OF_MOUNT, { method: 'POST', body, headers: { host: 'localhost', 'content-type': type } }),
    );

  test('too large, invalid JSON, or another content type: rejected before a server is created', async () => {
    let made = 0;
    const mount = mounted({ maxBodyBytes: 100, createServer: (context) => (made++, exampleServer(context)) });
    expect((await post(mount, JSON.stringify('x'.repeat(200)))).status).toBe(413);
    expect((await post(mount, '{')).status).toBe(400);
    expect((await post(mount, '{}', 'text/plain')).status).toBe(415);
    expect(
      (await mount.fetch(new Request(URL_OF_MOUNT, { method: 'PUT', headers: { host: 'localhost' } }))).status,
    ).toBe(405);
    expect(made).toBe(0);
  });

  test('a body without a length is read only up to the limit', async () => {
    const mount = mounted({ maxBodyBytes: 1_000 });
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 100;
        controller.enqueue(new Uint8Array(100).fill(32));
      },
    });
    const headers = { host: 'localhost', 'content-type': 'application/json' };
    const request = new Request(URL_OF_MOUNT, {
      method: 'POST',
      body: endless,
      headers,
      duplex: 'half',
    });
    expect((await mount.fetch(request)).status).toBe(413);
    expect(sent).toBeLessThan(3_000);
  });

  test('a failure to create a server is reported to the operator in full, to the client as an internal error', async () => {
    const errors: string[] = [];
    const mount = mounted({
      createServer: () => Promise.reject(new Error('the password is hunter2')),
      onError: ({ message }) => errors.push(message),
    });
    for (const answer of [await ask(mount, INITIALIZE), await askModern(mount, 'tools/list')]) {
      expect(answer.status).toBe(500);
      expect(await answer.text()).not.toContain('hunter2');
    }
    expect(errors).toEqual(['the password is hunter2', 'the password is hunter2']);
  });
});

test('closing ends every stream and session, and rejects new requests', async () => {
  const mount = mounted();
  const session = await initialize(mount);
  const own = readMessages(await ask(mount, undefined, { session }));
  const listening = readMessages(
    await askModern(mount, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
  );
  await listening.next();
  await mount.close();
  expect(await own.next()).toBeUndefined();
  const last: JsonObject[] = [];
  for (let one = await listening.next(); one !== undefined; one = await listening.next()) last.push(one);
  expect(last.every((one) => !('error' in one))).toBe(true);
  expect(mount.sessionCount).toBe(0);
  expect((await ask(mount, INITIALIZE)).status).toBe(503);
});
