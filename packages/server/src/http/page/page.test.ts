import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestServer } from '../test-fixtures/test-server.ts';
import { startTestServer } from '../test-fixtures/test-server.ts';

const INLINE = '\n  document.documentElement.dataset.theme = "dark";\n';
const HTML = `<!doctype html><title>Toolyard</title><script>${INLINE}</script><script src="/_app/immutable/a.js"></script>`;

let folder: string;
let server: TestServer | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-page-'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

function put(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(folder, 'build', path)), { recursive: true });
  writeFileSync(join(folder, 'build', path), content);
}

async function servePage(): Promise<TestServer> {
  put('index.html', HTML);
  put('index.html.br', brotliCompressSync(HTML));
  put('icon.svg', '<svg/>');
  put('_app/immutable/a.js', 'export {}');
  put('_app/immutable/a.js.gz', gzipSync('export {}'));
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  server = await startTestServer({ ui: { folder: join(folder, 'build') } });
  return server;
}

test.each([
  '/',
  '/c/123',
  '/inbox',
  '/settings',
  '/settings/providers',
  '/agents',
  '/agents/a1',
  '/groups/g1',
  '/runs',
  '/runs/r1',
  '/?x=1',
])('%s serves the page', async (target) => {
  const answer = await (await servePage()).ask(target);
  expect(answer).toMatchObject({ status: 200, text: HTML, headers: { 'content-type': 'text/html; charset=utf-8' } });
  expect(answer.headers['cache-control']).toBe('no-cache');
});

test.each(['/nowhere', '/c', '/c/1/2', '/settingsx', '/favicon.ico', '/index.html', '/index.html.br'])(
  '%s serves the page with its own "not found"',
  async (target) => {
    expect(await (await servePage()).ask(target)).toMatchObject({ status: 404, text: HTML });
  },
);

test.each([
  '/../secret.txt',
  '/..%2fsecret.txt',
  '/%2e%2e/secret.txt',
  '/_app/..%5c..%5csecret.txt',
  '/_app/../../secret.txt',
  '//secret.txt',
  '/_app/immutable/%00',
  '/_app',
])('%s is not found', async (target) => {
  const answer = await (await servePage()).ask(target);
  expect(answer.status).toBe(404);
  expect(answer.text).not.toContain('secret\n');
  expect(answer.text === 'secret').toBe(false);
});

test('files can be cached as long as possible', async () => {
  const { ask } = await servePage();
  const script = await ask('/_app/immutable/a.js');
  expect(script.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  const icon = await ask('/icon.svg');
  expect(icon.headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' });
  const { etag = '' } = icon.headers;
  expect((await ask('/icon.svg', { headers: { 'if-none-match': etag } })).status).toBe(304);
  expect(await ask('/_app/immutable/gone.js')).toMatchObject({ status: 404, json: { code: 'not_found' } });
});

test('files compressed by the build are served to clients that accept the encoding', async () => {
  const { ask } = await servePage();
  const html = await ask('/', { headers: { 'accept-encoding': 'gzip, br' } });
  expect(html.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
  expect(brotliDecompressSync(html.bytes).toString()).toBe(HTML);
  expect(
    (await ask('/', { headers: { 'accept-encoding': 'br;q=0, gzip' } })).headers['content-encoding'],
  ).toBeUndefined();
  const script = await ask('/_app/immutable/a.js', { headers: { 'accept-encoding': 'gzip' } });
  expect(gunzipSync(script.bytes).toString()).toBe('export {}');
});

test('a new build is served without a restart', async () => {
  const { ask } = await servePage();
  await ask('/');
  put('_app/immutable/b.js', 'export const b = 1;');
  put('index.html', HTML.replace('a.js', 'b.js').replace('Toolyard', 'New'));
  expect((await ask('/')).text).toContain('b.js');
  expect((await ask('/_app/immutable/b.js')).status).toBe(200);
});

test('the page allows GET and HEAD only', async () => {
  const { ask } = await servePage();
  expect(await ask('/', { json: {} })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  expect(await ask('/', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
});

describe('attack 13: data sent out in the URL of an image', () => {
  test('the page may load from this server only, and run only its own scripts', async () => {
    const { ask } = await servePage();
    for (const target of ['/', '/c/1', '/nowhere']) {
      const policy = (await ask(target)).headers['content-security-policy'];
      expect(policy).toContain("default-src 'self'");
      expect(policy).toContain("img-src 'self' data: blob:;");
      expect(policy).toContain("connect-src 'self';");
      expect(policy).toContain("form-action 'self'");
      const hash = createHash('sha256').update(INLINE).digest('base64');
      expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
      expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
    }
  });
});

describe('attack 14: a script in a URL of the page', () => {
  test.each([
    '/c/%3Cscript%3Ealert(1)%3C%2Fscript%3E',
    '/%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E',
    '/?q=<svg/onload=1>',
  ])('%s serves the page as built', async (target) => {
    expect((await (await servePage()).ask(target)).text).toBe(HTML);
  });
});

test('without a build the response says how to build it', async () => {
  server = await startTestServer({ ui: { folder: join(folder, 'build') } });
  expect(await server.ask('/')).toMatchObject({
    status: 503,
    text: expect.stringContaining('npm run build') as string,
  });
  expect((await server.ask('/api/conversations')).status).toBe(200);
});

test('with --no-ui the response is one line of text', async () => {
  server = await startTestServer({ ui: { enabled: false, settings: { theme: 'dark' } } });
  expect(await server.ask('/')).toMatchObject({ status: 200, text: expect.stringContaining('--no-ui') as string });
  expect(await server.ask('/c/1')).toMatchObject({ status: 404, json: { code: 'not_found' } });
  expect((await server.ask('/props')).json).toMatchObject({ ui: false, webui: false, ui_settings: { theme: 'dark' } });
});

test.each([
  ['GET', '/v1/models'],
  ['POST', '/v1/chat/completions'],
  ['POST', '/v1/messages'],
  ['POST', '/v1beta/models/x:generateContent'],
  ['GET', '/openapi.json'],
  ['GET', '/.well-known/agent-card.json'],
  ['POST', '/mcp'],
])('%s %s: clients of other APIs get an error that they can read', async (method, path) => {
  const { url } = await servePage();
  const response = await fetch(`${url}${path}`, { method });
  expect(response.status).toBe(404);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(await response.json()).toMatchObject({ code: 'not_found', hint: expect.stringContaining('/api') as string });
});
