import { afterEach, expect, test } from 'vitest';
import { createSessionFetch, onSignInNeeded, sessionSecret, resumeAfterSignIn } from './session-fetch.ts';

let signInRequests = 0;
onSignInNeeded(() => (signInRequests += 1));
afterEach(() => {
  signInRequests = 0;
  sessionSecret.set(null);
});

/** A server that accepts one session secret and answers 401 to all others. */
function server(valid: string) {
  const bodies: unknown[] = [];
  const send = createSessionFetch(async (_input, init = {}) => {
    if (new Headers(init.headers).get('x-toolyard-session') !== valid) {
      return new Response('', { status: 401, headers: { 'x-toolyard-session': 'required' } });
    }
    bodies.push(init.body);
    return new Response('ok');
  });
  return { send, bodies };
}

test('requests wait for the sign-in after the session has expired, and are sent again', async () => {
  const { send, bodies } = server('new');
  sessionSecret.set('old');
  const answers = Promise.all(['one', 'two'].map((body) => send('/api/x', { method: 'POST', body })));
  await expect.poll(() => signInRequests).toBe(2);
  expect(bodies).toEqual([]);
  sessionSecret.set('new');
  resumeAfterSignIn();
  expect((await answers).map(({ status }) => status)).toEqual([200, 200]);
  expect(bodies).toEqual(['one', 'two']);
});

test('a request rejected just before a sign-in is sent again without asking the user', async () => {
  const { send } = server('new');
  sessionSecret.set('old');
  const answer = send('/api/x');
  sessionSecret.set('new');
  expect((await answer).status).toBe(200);
  expect(signInRequests).toBe(0);
});

test('a 401 of an MCP server behind the proxy is passed on', async () => {
  const send = createSessionFetch(async () => new Response('', { status: 401 }));
  expect((await send('/api/proxy?url=x')).status).toBe(401);
  expect(signInRequests).toBe(0);
});

test('a cancelled request stops waiting', async () => {
  const { send } = server('new');
  const control = new AbortController();
  const answer = send('/api/x', { signal: control.signal });
  await expect.poll(() => signInRequests).toBe(1);
  control.abort(new Error('gone'));
  await expect(answer).rejects.toThrow('gone');
});
