import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '@toolyard/protocol';
import { within } from '@toolyard/testing';
import { signIn } from '../test-fixtures/sign-in.ts';
import type { TestServer } from '../test-fixtures/test-server.ts';
import { ANNE, as, BERT, startTestServer } from '../test-fixtures/test-server.ts';

const DAY_MS = 24 * 3_600_000;

let server: TestServer;
/** Offset added to the server's clock. */
let later = 0;
/** Pending timers of the server, such as the pings of streams; the test fires them. */
let timers: (() => void)[] = [];

beforeEach(async () => {
  later = 0;
  timers = [];
  const clock = {
    ...systemClock,
    now: () => systemClock.now() + later,
    monotonic: () => systemClock.monotonic() + later,
    after(ms: number, run: () => void) {
      if (ms !== 15_000) return systemClock.after(ms, run);
      timers.push(run);
      return () => undefined;
    },
  };
  server = await startTestServer({ security: { tokens: [ANNE, BERT] }, change: { clock } });
});
afterEach(() => server.close());

const requestStatus = async (headers: Record<string, string>, target = '/api/session'): Promise<number> =>
  (await server.ask(target, { headers })).status;

describe('a session', () => {
  test('needs cookie and secret: rejects a cookie sent from another port of the host', async () => {
    const { cookie, ...secret } = await signIn(server, ANNE);
    expect(await requestStatus({ cookie, ...secret })).toBe(200);
    expect(await requestStatus({ cookie })).toBe(401);
    expect(await requestStatus(secret)).toBe(401);
    expect(await requestStatus({ cookie, 'x-toolyard-session': 'guessed' })).toBe(401);
    const other = await signIn(server, ANNE);
    expect(await requestStatus({ cookie, 'x-toolyard-session': other['x-toolyard-session'] })).toBe(401);
    const streams = await server.ask('/api/events', { headers: { cookie } });
    expect(streams).toMatchObject({ status: 401, headers: { 'x-toolyard-session': 'required' } });
  });

  test('gets new credentials at each sign-in, and ends at sign-out', async () => {
    const one = await signIn(server, ANNE);
    const two = await signIn(server, ANNE);
    expect(one.cookie).not.toBe(two.cookie);
    const out = await server.ask('/api/session', { method: 'DELETE', headers: one });
    expect(out.status).toBe(204);
    expect(await requestStatus(one)).toBe(401);
    expect(await requestStatus(two)).toBe(200);
  });

  test('is replaced when the same browser signs in again', async () => {
    const one = await signIn(server, ANNE);
    const two = await signIn(server, ANNE, { cookie: one.cookie });
    expect(await requestStatus(one)).toBe(401);
    expect(await requestStatus(two)).toBe(200);
  });

  test('expires 30 days after its last use and 180 days after the sign-in', async () => {
    const used = await signIn(server, ANNE);
    const unused = await signIn(server, ANNE);
    later = 29 * DAY_MS;
    expect(await requestStatus(used)).toBe(200);
    later = 31 * DAY_MS;
    expect(await requestStatus(used)).toBe(200);
    const over = await server.ask('/api/session', { headers: unused });
    expect(over).toMatchObject({ status: 401, json: { detail: 'This session has expired or was signed out.' } });
    for (let day = 60; day < 180; day += 29) {
      later = day * DAY_MS;
      expect(await requestStatus(used)).toBe(200);
    }
    later = 181 * DAY_MS;
    expect(await requestStatus(used)).toBe(401);
  });

  test('is listed for its owner, who can revoke it from another session', async () => {
    const phone = await signIn(server, ANNE, { 'user-agent': 'Phone' });
    const broker = await signIn(server, ANNE, { 'user-agent': 'Desk' });
    const bert = await signIn(server, BERT);
    const { json } = await server.ask('/api/access/sessions', { headers: broker });
    const { items } = json as { items: { id: string; userAgent: string; current: boolean }[] };
    expect(items.map(({ userAgent, current }) => [userAgent, current]).sort()).toEqual([
      ['Desk', true],
      ['Phone', false],
    ]);
    expect(JSON.stringify(items)).not.toContain(phone['x-toolyard-session']);
    const target = `/api/access/sessions/${items.find(({ current }) => !current)?.id ?? ''}`;
    expect((await server.ask(target, { method: 'DELETE', headers: bert })).status).toBe(404);
    expect((await server.ask(target, { method: 'DELETE', headers: broker })).status).toBe(204);
    expect(await requestStatus(phone)).toBe(401);
    const third = await signIn(server, ANNE);
    expect((await server.ask('/api/access/sessions', { method: 'DELETE', headers: broker })).status).toBe(204);
    expect([await requestStatus(third), await requestStatus(broker), await requestStatus(bert)]).toEqual([
      401, 200, 200,
    ]);
  });

  test('closes its open stream when it ends', async () => {
    const headers = await signIn(server, ANNE);
    const stream = await fetch(`${server.url}/api/events`, { headers });
    const text = stream.text();
    await server.ask('/api/session', { method: 'DELETE', headers });
    for (const ping of timers.splice(0)) ping();
    expect(await within(text, { what: 'the end of the stream' })).toContain('hello');
  });
});

describe('a sign-in link', () => {
  async function createCode(): Promise<string> {
    const { json } = await server.ask('/api/access/links', { method: 'POST', json: {}, headers: as(ANNE) });
    const { path, expiresAt } = json as { path: string; expiresAt: number };
    expect(expiresAt - (systemClock.now() + later)).toBeLessThanOrEqual(10 * 60_000);
    return /^\/#code=([\w-]{43})$/.exec(path)?.[1] ?? expect.fail(path);
  }
  const use = (code: string) => server.ask('/api/session', { json: { code } });

  test('signs in one browser, once', async () => {
    const code = await createCode();
    const answers = await Promise.all([use(code), use(code), use(code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect(answers.find(({ status }) => status === 200)?.json).toMatchObject({ ownerId: 'anne', via: 'session' });
    expect((await use(code)).json).toMatchObject({
      detail: 'This sign-in link has expired or was already used.',
      hint: expect.stringContaining('command "open"') as string,
    });
  });

  test('expires after 10 minutes', async () => {
    const code = await createCode();
    later = 10 * 60_000 + 1;
    expect((await use(code)).status).toBe(401);
  });

  test('cannot be used as a token, nor a token as a link code', async () => {
    const code = await createCode();
    expect((await server.ask('/api/session', { json: { token: code } })).status).toBe(401);
    expect(await requestStatus(as({ token: code }))).toBe(401);
    expect((await use(ANNE.token)).status).toBe(401);
  });
});

test('wrong tokens are limited for all clients together, while a valid one is accepted at once', async () => {
  const guesses = await Promise.all(
    Array.from({ length: 30 }, (_none, at) =>
      at % 2 === 0
        ? server.ask('/api/session', { headers: as({ token: `guess-number-${String(at)}` }) })
        : server.ask('/api/session', { json: { token: `guess-number-${String(at)}` } }),
    ),
  );
  expect(guesses.filter(({ status }) => status === 401)).toHaveLength(20);
  const limited = guesses.filter(({ status }) => status === 429);
  expect(limited).toHaveLength(10);
  expect(Number(limited[0]?.headers['retry-after'])).toBeGreaterThan(0);
  expect(await requestStatus(as(ANNE))).toBe(200);
  await signIn(server, ANNE);
  // A page with an expired session gets a 401 at once, so that it can ask for a sign-in.
  expect(await requestStatus({ cookie: `toolyard_${server.port}=expired` })).toBe(401);
  later = 3_000;
  expect(await requestStatus(as({ token: 'one-more-guess' }))).toBe(401);
  expect(await requestStatus(as({ token: 'one-more-guess' }))).toBe(429);
});

test('readiness is public; its details require a credential', async () => {
  expect((await server.ask('/ready')).json).toEqual({ status: 'ok' });
  expect((await server.ask('/ready', { headers: as({ token: 'not-a-valid-token' }) })).json).toEqual({ status: 'ok' });
  expect((await server.ask('/ready', { headers: as(ANNE) })).json).toMatchObject({ status: 'ok', missingRoles: [] });
});

test('the command that prints a sign-in link is as the server was started, and needs no credential', async () => {
  expect((await server.ask('/api/sign-in')).json).toEqual({ command: 'toolyard open' });
  await server.close();
  server = await startTestServer({
    security: { tokens: [ANNE] },
    ui: { signInCommand: 'npm run -s toolyard -- open' },
  });
  expect((await server.ask('/api/sign-in')).json).toEqual({ command: 'npm run -s toolyard -- open' });
});
