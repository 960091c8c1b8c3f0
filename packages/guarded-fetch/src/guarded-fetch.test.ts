import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setImmediate as turn } from 'node:timers/promises';
import type { RecordingServer } from '@toolyard/testing';
import { ownPort } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { allowLoopback, createResolver, respondsWith, redirectsTo } from './test-fixtures/origins.ts';
import { createTestGuards } from './test-fixtures/test-guards.ts';

// Trusts everything, as these tests do not concern trust.
const { guard, origin } = createTestGuards(() => true);

/** A promise and the function that resolves it. */
function signalled(): { promise: Promise<void>; done: () => void } {
  let done = (): void => {};
  const promise = new Promise<void>((resolve) => (done = resolve));
  return { promise, done };
}

describe('response', () => {
  test('is a platform Response with URL, status and headers', async () => {
    const target = await origin((_request, response) => {
      response.writeHead(418, 'Short and stout', { 'set-cookie': ['a=1', 'b=2'], 'x-tea': 'green' }).end('no coffee');
    });
    const response = await guard()(`${target.origin}/pot?x=1#spout`);
    expect(response).toBeInstanceOf(Response);
    expect(response.status).toBe(418);
    expect(response.ok).toBe(false);
    expect(response.statusText).toBe('Short and stout');
    expect(response.headers.get('x-tea')).toBe('green');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.url).toBe(`${target.origin}/pot?x=1`);
    expect(response.redirected).toBe(false);
    expect(await response.clone().text()).toBe('no coffee');
    expect(await response.text()).toBe('no coffee');
  });

  test.each([204, 304, 599, 999])('passes status %i through', async (status) => {
    const target = await origin((_request, response) => void response.writeHead(status).end());
    const response = await guard()(target.origin);
    expect(response.status).toBe(status);
    expect(response.ok).toBe(status === 204);
    expect(await response.text()).toBe('');
  });

  test('streams: the first chunk arrives before the second is sent', async () => {
    const resume = signalled();
    const target = await origin((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      void resume.promise.then(() => response.end('data: 2\n\n'));
    });
    const response = await guard()(target.origin);
    const parts = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await parts?.read())?.value).toBe('data: 1\n\n');
    resume.done();
    expect((await parts?.read())?.value).toBe('data: 2\n\n');
    expect((await parts?.read())?.done).toBe(true);
  });

  test('survives a garbage collection before its body is read', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const resume = signalled();
    const target = await origin((_request, response) => {
      response.write('one ');
      void resume.promise.then(() => response.end('two'));
    });
    const response = await guard()(target.origin);
    // The finalizer of undici runs in a separate task after a collection; collecting all modules takes 30 ms.
    for (let round = 0; round < 4; round += 1) {
      collect();
      await turn();
    }
    resume.done();
    expect(await response.text()).toBe('one two');
  });

  test('is decompressed', async () => {
    const { gzipSync } = await import('node:zlib');
    const target = await origin((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'));
    });
    expect(await (await guard()(target.origin)).text()).toBe('packed');
  });

  test('fetches a public URL that is not trusted', async () => {
    const target = await origin(respondsWith('hello'));
    const { resolve } = createResolver({ 'public.test': ['127.0.0.1'] });
    const fetch = guard({ trust: () => false, resolve, refuse: allowLoopback });
    expect(await (await fetch(new URL(`http://public.test:${target.port}/`))).text()).toBe('hello');
  });
});

describe('redirects', () => {
  test.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [301, 'PUT', 'PUT', 'data'],
    [302, 'delete', 'DELETE', 'data'],
    [307, 'POST', 'POST', 'data'],
    [308, 'PATCH', 'PATCH', 'data'],
  ])('with status %i change %s to %s', async (status, before, after, body) => {
    const target = await origin((request, response) => {
      if (request.url === '/') redirectsTo('/next', status)(request, response);
      else response.end('done');
    });
    const init = { method: before, body: 'data', headers: { 'content-type': 'text/x', 'content-language': 'eo' } };
    expect(await (await guard()(target.origin, init)).text()).toBe('done');
    const last = target.seen[1];
    expect([last?.method, last?.path, last?.body]).toEqual([after, '/next', body]);
    expect(last?.headers['content-type']).toBe(body === '' ? undefined : 'text/x');
    expect(last?.headers['content-language']).toBe(body === '' ? undefined : 'eo');
  });

  test('303 keeps HEAD', async () => {
    const target = await origin((request, response) => {
      if (request.url === '/') redirectsTo('/next', 303)(request, response);
      else response.end();
    });
    await guard()(target.origin, { method: 'HEAD' });
    expect(target.seen.map((one) => one.method)).toEqual(['HEAD', 'HEAD']);
  });

  test('resend every repeatable body completely', async () => {
    const target = await origin((request, response) => {
      if (request.url === '/') redirectsTo('/next', 307)(request, response);
      else response.end();
    });
    const form = new FormData();
    form.set('file', new Blob(['content']), 'name.txt');
    const bytes = new TextEncoder().encode('bytes');
    const bodies = ['text', new URLSearchParams({ a: 'b' }), new Blob(['blob']), bytes, bytes.buffer, form];
    for (const body of bodies) await guard()(target.origin, { method: 'POST', body });

    for (let index = 0; index < target.seen.length; index += 2) {
      const [first, again] = [target.seen[index], target.seen[index + 1]];
      expect(again?.path).toBe('/next');
      expect(again?.body).toBe(first?.body);
      expect(again?.body).not.toBe('');
      expect(again?.headers['content-type']).toBe(first?.headers['content-type']);
    }
    expect(target.seen).toHaveLength(12);
    expect(target.seen[3]?.headers['content-type']).toContain('x-www-form-urlencoded');
    expect(target.seen[11]?.headers['content-type']).toContain('multipart/form-data; boundary=');
    expect(target.seen[11]?.body).toContain('filename="name.txt"');
  });

  test('report that a stream was consumed if it would have to be sent again', async () => {
    const target = await origin((request, response) => {
      if (request.url === '/again') redirectsTo('/next', 308)(request, response);
      else if (request.url === '/get') redirectsTo('/next', 303)(request, response);
      else response.end('done');
    });
    const init = (): RequestInit => ({ method: 'POST', body: new Blob(['streamed']).stream(), duplex: 'half' });

    await expect(guard()(`${target.origin}/again`, init())).rejects.toMatchObject({
      code: 'network',
      message: expect.stringContaining('a stream and is consumed') as string,
    });
    expect(target.seen.map((one) => one.body)).toEqual(['streamed']);
    expect(await (await guard()(`${target.origin}/get`, init())).text()).toBe('done');
  });

  test('drop credentials in any header on another origin', async () => {
    const second = await origin(respondsWith('done'));
    const first = await origin(redirectsTo(second.origin, 307));
    const secrets = {
      authorization: 'Bearer s3cret',
      cookie: 'session=s3cret',
      'proxy-authorization': 's3cret',
      'x-api-key': 's3cret',
      'api-key': 's3cret',
      'x-goog-api-key': 's3cret',
      'mcp-session-id': 's3cret',
      'x-my-own-name-for-it': 's3cret',
    };
    await guard()(first.origin, {
      method: 'POST',
      body: '{}',
      headers: { ...secrets, accept: 'text/x', 'content-type': 'a/b' },
    });
    expect(first.seen[0]?.headers).toMatchObject(secrets);
    expect(JSON.stringify(second.seen)).not.toContain('s3cret');
    expect(second.seen[0]?.headers).toMatchObject({ accept: 'text/x', 'content-type': 'a/b' });
  });

  test('treat another port as another origin, and do not restore credentials on the way back', async () => {
    const away = await origin((request, response) =>
      redirectsTo(`http://127.0.0.1:${home.port}/end`)(request, response),
    );
    const home: RecordingServer = await origin((request, response) => {
      if (request.url === '/end') response.end('home');
      else if (request.url === '/same') redirectsTo(away.origin)(request, response);
      else redirectsTo('/same')(request, response);
    });
    await guard()(home.origin, { headers: { authorization: 'Bearer s3cret' } });
    expect(home.seen.map((one) => one.headers.authorization)).toEqual(['Bearer s3cret', 'Bearer s3cret', undefined]);
    expect(away.seen[0]?.headers.authorization).toBeUndefined();
  });

  test('stop at the limit and follow one fewer', async () => {
    const target = await origin((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('end');
      else redirectsTo(`/${left - 1}`)(request, response);
    });
    expect(await (await guard()(`${target.origin}/5`)).text()).toBe('end');
    await expect(guard()(`${target.origin}/6`)).rejects.toMatchObject({ code: 'network' });
    expect(target.seen.map((one) => one.path)).toEqual([
      '/5',
      '/4',
      '/3',
      '/2',
      '/1',
      '/0',
      '/6',
      '/5',
      '/4',
      '/3',
      '/2',
      '/1',
    ]);
  });

  test('detect a loop before the limit', async () => {
    const target = await origin((request, response) =>
      redirectsTo(request.url === '/a' ? '/b' : '/a')(request, response),
    );
    await expect(guard()(`${target.origin}/a`)).rejects.toMatchObject({
      message: expect.stringContaining('in a loop') as string,
    });
    expect(target.seen).toHaveLength(2);
  });

  test('do not count a form that redirects to its own page as a loop', async () => {
    const target = await origin((request, response) => {
      if (request.method === 'POST') redirectsTo('/', 303)(request, response);
      else response.end('page');
    });
    expect(await (await guard()(target.origin, { method: 'POST', body: 'x' })).text()).toBe('page');
  });

  test('returns the response with "manual", rejects with "error"', async () => {
    const target = await origin(redirectsTo('http://169.254.169.254/'));
    const response = await guard()(target.origin, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, 'http://169.254.169.254/']);
    await expect(guard()(target.origin, { redirect: 'error' })).rejects.toMatchObject({ code: 'network' });
  });

  test('follow a redirect with an endless body and close its connection', async () => {
    const closed = signalled();
    const target = await origin((request, response) => {
      if (request.url !== '/') return void response.end('done');
      response.on('close', () => closed.done());
      response.writeHead(302, { location: '/next' }).write('and a body without end');
    });
    expect(await (await guard()(target.origin)).text()).toBe('done');
    await closed.promise;
  });

  test('return a redirect without a location, reject one with an invalid location', async () => {
    const nowhere = await origin((_request, response) => void response.writeHead(302).end('stay'));
    expect(await (await guard()(nowhere.origin)).text()).toBe('stay');
    const nonsense = await origin(redirectsTo('http://[nonsense'));
    await expect(guard()(nonsense.origin)).rejects.toMatchObject({
      code: 'address_refused',
      message: expect.stringContaining(nonsense.origin) as string,
    });
  });

  test('accept a location in UTF-8', async () => {
    const target = await origin((request, response) => {
      if (request.url !== '/') response.end('found');
      else response.writeHead(302, { location: Buffer.from('/caf\u00e9', 'utf8').toString('latin1') }).end();
    });
    expect(await (await guard()(target.origin)).text()).toBe('found');
    expect(target.seen[1]?.path).toBe('/caf%C3%A9');
  });
});

describe('abort', () => {
  test('before the start: no request is sent', async () => {
    const target = await origin(respondsWith('hello'));
    const reason = new Error('changed my mind');
    await expect(guard()(target.origin, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(target.seen).toEqual([]);
  });

  test('during name resolution, although the resolver never answers', async () => {
    const asked = signalled();
    const resolve = (): Promise<string[]> => {
      asked.done();
      return new Promise(() => {});
    };
    const controller = new AbortController();
    const pending = guard({ trust: () => false, resolve })('http://slow.test/', { signal: controller.signal });
    void asked.promise.then(() => controller.abort());
    await expect(pending).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('while waiting for the response after a redirect', async () => {
    const controller = new AbortController();
    const closed = signalled();
    const target = await origin((request, response) => {
      if (request.url === '/') return redirectsTo('/hang')(request, response);
      response.on('close', () => closed.done());
      controller.abort();
    });
    await expect(guard()(target.origin, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
    await closed.promise;
  });

  test('during the body: reading ends and the server notices', async () => {
    const closed = signalled();
    const target = await origin((_request, response) => {
      response.on('close', () => closed.done());
      response.write('begin');
    });
    const controller = new AbortController();
    const response = await guard()(target.origin, { signal: controller.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    controller.abort();
    await expect(reader?.read()).rejects.toMatchObject({ name: 'AbortError' });
    await closed.promise;
  });

  test('closes the connection if the reader cancels the body', async () => {
    const closed = signalled();
    const target = await origin((_request, response) => {
      response.on('close', () => closed.done());
      response.write('begin');
    });
    await (await guard()(target.origin)).body?.cancel();
    await closed.promise;
  });
});

describe('failures', () => {
  test('rejects like any fetch if the connection or the name resolution fails', async () => {
    const closedPort = `http://127.0.0.1:${await ownPort()}`;
    await expect(guard()(closedPort)).rejects.toMatchObject({ name: 'TypeError', cause: { code: 'ECONNREFUSED' } });
    const { resolve } = createResolver({ 'empty.test': [[]] });
    for (const name of ['missing.test', 'empty.test']) {
      const fetch = guard({ trust: () => false, resolve });
      await expect(fetch(`http://${name}/`)).rejects.toMatchObject({ name: 'TypeError', cause: { code: 'ENOTFOUND' } });
    }
  });

  test('resolves names with the system resolver', async () => {
    const target = await origin(respondsWith('hello'));
    expect(await (await guard()(`http://localhost:${target.port}/`)).text()).toBe('hello');
  });

  test('closes open responses on close', async () => {
    const target = await origin((_request, response) => void response.write('begin'));
    const fetch = guard();
    const response = await fetch(target.origin);
    const rest = response.text();
    await Promise.all([expect(rest).rejects.toThrow(), fetch.close()]);
    await expect(fetch(target.origin)).rejects.toThrow();
  });
});

test('does not resend a body from https to http', async () => {
  const { nextHop } = await import('./request.ts');
  const hop = {
    url: new URL('https://a.test/'),
    method: 'POST',
    headers: new Headers(),
    body: { kind: 'replayable', value: 'client_secret=x' },
  } as const;
  expect(nextHop(hop, 307, new URL('http://a.test/'))).toMatchObject({ kind: 'body_in_clear' });
  expect(nextHop(hop, 303, new URL('http://a.test/'))).toMatchObject({ method: 'GET', body: { kind: 'none' } });
  expect(nextHop(hop, 307, new URL('https://b.test/'))).toMatchObject({ method: 'POST' });
});
