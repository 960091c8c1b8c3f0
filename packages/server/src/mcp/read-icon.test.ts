import { createServer } from 'node:http';
import { createGuardedFetch } from '@toolyard/guarded-fetch';
import { listenOnLoopback } from '@toolyard/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readServerIcon } from './read-icon.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="url(#a)" d="M0 0h8v8z"/></svg>';
const svg = (inner: string) => `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="x">${inner}</svg>`)}`;
const read = (src: string) => readServerIcon({ src }, undefined);

describe('icons of servers', () => {
  let origin: string;
  const server = createServer((request, response) => {
    if (request.url === '/icon') response.end(PNG);
    else if (request.url === '/large') response.end(Buffer.concat([PNG, Buffer.alloc(300 * 1_024)]));
    else response.writeHead(404).end('no');
  });
  beforeAll(async () => {
    ({ origin } = await listenOnLoopback(server));
  });
  afterAll(() => void server.close());
  const trusted = () => createGuardedFetch({ trust: () => true });

  test('have the type of their content, whatever the server declares', async () => {
    const src = `data:image/png;base64,${PNG.toString('base64')}`;
    expect(await read(src)).toEqual({ src });
    expect(await read(src.replace('png', 'svg+xml'))).toEqual({ src });
    const { src: drawn } = await read(`data:image/svg+xml,${encodeURIComponent(SVG)}`);
    expect(Buffer.from(drawn.replace('data:image/svg+xml;base64,', ''), 'base64').toString()).toBe(SVG);
  });

  test.each([
    '<script>alert(1)</script>',
    '<path onload="alert(1)"/>',
    '<foreignObject/>',
    '<image href="https://evil.example/a.png"/>',
    '<a href="javascript:alert(1)"/>',
    '<style>@import "https://evil.example"</style>',
    '<path fill="url(https://evil.example#a)"/>',
    '<use xlink:href="https://evil.example#a"/>',
  ])('reject SVG with %s', async (inner) => {
    await expect(read(svg(inner))).rejects.toMatchObject({ code: 'bad_response' });
  });

  test.each([
    'data:image/png,<html></html>',
    'data:image/svg+xml,<!DOCTYPE svg><svg></svg>',
    'data:,',
    'data:image/png,%',
  ])('reject %s', async (src) => {
    await expect(read(src)).rejects.toMatchObject({ code: 'bad_response' });
  });

  test('are fetched with a limit of size, and never from this machine', async () => {
    expect(await readServerIcon({ src: `${origin}/icon` }, undefined, trusted())).toEqual({
      src: `data:image/png;base64,${PNG.toString('base64')}`,
    });
    for (const path of ['/large', '/missing']) {
      await expect(readServerIcon({ src: origin + path }, undefined, trusted())).rejects.toMatchObject({
        code: 'bad_response',
      });
    }
    await expect(read(`${origin}/icon`)).rejects.toMatchObject({ code: 'address_refused' });
    await expect(read('https://127.0.0.1/icon')).rejects.toMatchObject({ code: 'address_refused' });
  });
});
