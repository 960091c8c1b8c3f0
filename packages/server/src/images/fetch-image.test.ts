import { once } from 'node:events';
import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GuardedFetch } from '@toolyard/guarded-fetch';
import { createGuardedFetch } from '@toolyard/guarded-fetch';
import type { RecordingServer } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startProxyTarget } from '../http/test-fixtures/proxy-target.ts';
import { startTestServer } from '../http/test-fixtures/test-server.ts';
import { fetchImage } from './fetch-image.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const MB = 1_024 * 1_024;

/** Every loopback address but the second counts as the internet. */
const refuse = (ip: string): 'loopback' | null => (ip === '127.0.0.2' ? 'loopback' : null);

let fetch: GuardedFetch;
let targets: RecordingServer[];
beforeEach(() => {
  fetch = createGuardedFetch({ trust: () => false, refuse });
  targets = [];
});
afterEach(async () => {
  await fetch.close();
  await Promise.all(targets.map((each) => each[Symbol.asyncDispose]()));
});

async function host(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<RecordingServer> {
  const target = await startProxyTarget(answer);
  targets.push(target);
  return target;
}

async function load(url: string, more: { timeoutMs?: number; signal?: AbortSignal } = {}) {
  return fetchImage(url, { fetch, signal: new AbortController().signal, ...more });
}

describe('images at remote URLs', () => {
  test.each([
    ['image/png', PNG],
    ['image/jpeg', Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF', 'latin1')],
    ['image/gif', Buffer.from('GIF89a')],
    ['image/webp', Buffer.from('RIFF\x10\0\0\0WEBPVP8X', 'latin1')],
    ['image/avif', Buffer.from('\0\0\0\x1cftypavif', 'latin1')],
    [
      'image/svg+xml',
      Buffer.from('<?xml version="1.0"?>\n<!-- a badge -->\n<svg xmlns="http://www.w3.org/2000/svg"/>'),
    ],
  ])('have the type of their bytes: %s', async (type, bytes) => {
    const { origin } = await host((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(bytes),
    );
    const image = await load(`${origin}/a`);
    expect(image).toMatchObject({ type });
    expect('bytes' in image && Buffer.from(image.bytes).equals(bytes)).toBe(true);
  });

  test('are requested without cookies, referrer or credentials', async () => {
    const { origin, seen } = await host((_request, response) =>
      response.writeHead(200, { 'set-cookie': 'a=b' }).end(PNG),
    );
    await load(`${origin}/a.png?size=2`);
    await load(`${origin}/a.png?size=2`);
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /a.png?size=2', 'GET /a.png?size=2']);
    for (const { headers } of seen) {
      for (const name of ['cookie', 'referer', 'authorization', 'origin', 'x-toolyard-session']) {
        expect(headers).not.toHaveProperty(name);
      }
    }
  });

  test('follow redirects of their host, and return those to another host without a request to it', async () => {
    const other = await host((_request, response) => response.end(PNG));
    const { origin } = await host((request, response) => {
      if (request.url === '/end') response.end(PNG);
      else if (request.url === '/away') response.writeHead(302, { location: `${other.origin}/b.png?c#d` }).end();
      else if (request.url === '/loop') response.writeHead(307, { location: '/loop' }).end();
      else if (request.url === '/odd') response.writeHead(302, { location: 'http://' }).end();
      else response.writeHead(301, { location: '/end' }).end();
    });
    expect(await load(`${origin}/start`)).toMatchObject({ type: 'image/png' });
    expect(await load(`${origin}/away`)).toEqual({ redirect: `${other.origin}/b.png?c#d` });
    expect(other.seen).toEqual([]);
    await expect(load(`${origin}/loop`)).rejects.toMatchObject({
      message: expect.stringContaining('more than 5 times'),
    });
    await expect(load(`${origin}/odd`)).rejects.toMatchObject({ message: expect.stringContaining('an invalid URL') });
  });

  test('are refused at private addresses, without a request', async () => {
    const { origin, seen } = await host((_request, response) => response.end(PNG));
    await expect(load(`${origin.replace('127.0.0.1', '127.0.0.2')}/a.png`)).rejects.toMatchObject({
      code: 'address_refused',
      hint: expect.stringContaining('public internet only'),
    });
    expect(seen).toEqual([]);
  });

  test.each<[string, string | Buffer, number, RegExp]>([
    ['a web page', '<!doctype html><html></html>', 200, /not a PNG, JPEG/],
    ['text', 'no image', 200, /not a PNG, JPEG/],
    ['a PDF', '%PDF-1.4', 200, /not a PNG, JPEG/],
    ['nothing', '', 200, /not a PNG, JPEG/],
    ['a missing image', PNG, 404, /status 404/],
    ['11 MB', Buffer.concat([PNG, Buffer.alloc(11 * MB)]), 200, /larger than 10 MB/],
  ])('reject %s', async (_name, body, status, message) => {
    const { origin } = await host((_request, response) =>
      response.writeHead(status, { 'content-type': 'image/png' }).end(body),
    );
    const error: unknown = await load(`${origin}/secret-path`).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'bad_response', message: expect.stringMatching(message) });
    expect(String(error)).toContain(new URL(origin).host);
    expect(String(error)).not.toContain('secret-path');
  });

  test('reject 11 MB that are sent as a few compressed kilobytes', async () => {
    const { gzipSync } = await import('node:zlib');
    const body = gzipSync(Buffer.concat([PNG, Buffer.alloc(11 * MB)]));
    const { origin } = await host((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(body),
    );
    await expect(load(`${origin}/a`)).rejects.toMatchObject({ message: expect.stringContaining('larger than 10 MB') });
  });

  test('are given up when their host stops sending, cannot be reached, or the client is gone', async () => {
    const silent = await host(() => undefined);
    const slow = await host((_request, response) => void response.writeHead(200).write(PNG.subarray(0, 8)));
    for (const { origin } of [silent, slow]) {
      await expect(load(`${origin}/a`, { timeoutMs: 200 })).rejects.toMatchObject({
        code: 'timed_out',
        retryable: true,
      });
    }
    await expect(load('http://127.0.0.1:1/a')).rejects.toMatchObject({ code: 'address_refused' });
    const gone = await host(() => undefined);
    await gone[Symbol.asyncDispose]();
    await expect(load(`${gone.origin}/a`)).rejects.toMatchObject({ code: 'network', retryable: true });
    const client = new AbortController();
    const arrived = once(silent.server, 'request');
    const loading = load(`${silent.origin}/a`, { signal: client.signal });
    await Promise.all([
      expect(loading).rejects.toMatchObject({ name: 'AbortError' }),
      arrived.then(() => client.abort()),
    ]);
  });
});

test('POST /api/images refuses what is no public web address, with what and why', async () => {
  const server = await startTestServer();
  const ask = async (url: string) => server.ask('/api/images', { json: { url } });
  try {
    const { status, json } = await ask('http://192.168.0.1/a.png');
    expect([status, json]).toEqual([
      403,
      expect.objectContaining({
        code: 'address_refused',
        detail: expect.stringContaining('192.168.0.1'),
        hint: expect.stringContaining('public internet only'),
      }),
    ]);
    for (const url of ['file:///etc/passwd', 'data:image/png;base64,AA==', 'javascript:alert(1)', 'no url']) {
      expect(await ask(url)).toMatchObject({
        status: 400,
        json: { detail: expect.stringContaining('http: or https:') },
      });
    }
    expect((await ask('https://user:word@example.com/a.png')).json).toMatchObject({ code: 'address_refused' });
  } finally {
    await server.close();
  }
});
