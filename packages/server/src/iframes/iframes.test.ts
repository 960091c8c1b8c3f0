import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestServer, TestServerOptions } from '../http/test-fixtures/test-server.ts';
import { as, ANNE, startTestServer } from '../http/test-fixtures/test-server.ts';

let folder: string;
let server: TestServer | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-frames-'));
  mkdirSync(join(folder, 'frames'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Toolyard</title>');
  for (const name of ['outer', 'content']) writeFileSync(join(folder, 'frames', `${name}.js`), `// ${name}`);
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: TestServerOptions = {}): Promise<TestServer> {
  server = await startTestServer({ ...options, ui: { folder }, frames: { folder, ...options.frames } });
  return server;
}

type Answer = { status: number; headers: Record<string, unknown>; text: string };

/** Sends exactly these headers. */
function ask(url: string, options: { method?: string; headers?: Record<string, string> } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function originFor(host: string): Promise<string | null> {
  const props = await server?.ask('/props', { headers: { host } });
  return (props?.json as { frame_origin: string | null } | undefined)?.frame_origin ?? null;
}

const getPage = ({ port }: TestServer): string => `http://127.0.0.1:${port}`;
const toQuery = (page: string): string => `page=${encodeURIComponent(page)}`;

describe('on loopback', () => {
  test('a second port serves frames, under another name than the page', async () => {
    const { ask: askPage, port } = await start();
    const own = await originFor(`127.0.0.1:${port}`);
    expect(own).toMatch(/^http:\/\/localhost:\d+$/);
    expect(await originFor(`localhost:${port}`)).toBe(own?.replace('localhost', '127.0.0.1'));
    expect(own).not.toContain(`:${port}`);
    const page = await askPage('/', { headers: { host: `127.0.0.1:${port}` } });
    expect(page.headers['content-security-policy']).toContain(`frame-src ${String(own)};`);
    // Camera and microphone stay available to the page, and to apps that were granted them.
    const policy = page.headers['permissions-policy'];
    for (const name of ['camera', 'microphone', 'geolocation'])
      expect(policy).toContain(`${name}=(self "${String(own)}")`);
    for (const name of ['usb', 'serial', 'display-capture']) expect(policy).toContain(`${name}=()`);
  });

  test('the page uses opaque frames of its own where the port may not be reachable', async () => {
    const { ask: askPage, port } = await start({ security: { allowHosts: ['tools.example.com'] } });
    for (const host of ['tools.example.com', `[::1]:${port}`]) {
      expect([host, await originFor(host)]).toEqual([host, null]);
      const page = await askPage('/', { headers: { host } });
      expect(page.headers['content-security-policy']).toContain("frame-src 'self';");
      expect(page.headers['permissions-policy']).toContain('camera=*');
    }
  });

  test('the second port serves two documents and nothing else, and ignores cookies', async () => {
    const started = await start({ security: { tokens: [ANNE] } });
    const origin = (await server?.ask('/props', { headers: as(ANNE) }))?.json as { frame_origin: string };
    const base = origin.frame_origin.replace('localhost', '127.0.0.1');
    const headers = { host: new URL(origin.frame_origin).host };
    const target = `${base}/frame/outer?${toQuery(getPage(started))}`;
    const outer = await ask(target, { headers: { ...headers, cookie: 'toolyard=1', 'sec-fetch-dest': 'iframe' } });
    expect(outer).toMatchObject({ status: 200, text: expect.stringContaining('// outer') as string });
    expect(outer.headers['set-cookie']).toBeUndefined();
    expect(outer.headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect((await ask(target, { headers })).text).toBe(outer.text);
    for (const path of ['/', '/api/conversations', '/props', '/health', '/index.html', '/frame/', '/frames/outer.js']) {
      expect([path, (await ask(base + path, { headers: { ...headers, ...as(ANNE) } })).status]).toEqual([path, 404]);
    }
    expect(await ask(target, { headers, method: 'POST' })).toMatchObject({ status: 405 });
    expect(await ask(target, { headers: { host: 'rebind.attacker.example' } })).toMatchObject({ status: 403 });
    expect(await ask(target, { headers: { ...headers, 'sec-fetch-dest': 'document' } })).toMatchObject({ status: 403 });
  });

  test('only pages of this server may contain the documents', async () => {
    const started = await start();
    const base = `http://127.0.0.1:${new URL((await originFor(`127.0.0.1:${started.port}`)) ?? '').port}`;
    for (const page of [
      '',
      'https://attacker.example',
      `http://attacker.example:${started.port}`,
      "http://x' *",
      'null',
    ]) {
      for (const name of ['outer', 'content']) {
        expect([page, (await ask(`${base}/frame/${name}?${toQuery(page)}`)).status]).toEqual([page, 403]);
      }
    }
    const own = `http://localhost:${started.port}`;
    const outer = await ask(`${base}/frame/outer?${toQuery(own)}`);
    expect(outer.headers['content-security-policy']).toContain(`frame-ancestors ${own};`);
    expect(outer.headers['content-security-policy']).toContain("frame-src 'self';");
    const content = await ask(`${base}/frame/content?${toQuery(own)}`);
    expect(content.headers['content-security-policy']).toContain(`frame-ancestors 'self' ${own};`);
  });
});

describe('the policy of content', () => {
  async function policyFor(query: string): Promise<Answer> {
    const started = await start();
    return ask(`${started.url}/frame/content?${toQuery(started.url)}${query}`);
  }

  test('without parameters there is no network, and the origin is opaque', async () => {
    const policy = String((await policyFor('')).headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain('connect-src blob: data:;');
    expect(policy).toContain("frame-src 'none'");
    expect(policy).toContain("form-action 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).toMatch(/sandbox allow-scripts allow-forms$/);
    expect(policy).not.toMatch(/https?:|\*|'self'/);
  });

  test('each list is a directive of its own', async () => {
    const query =
      '&connect=wss://a.example&resource=https://*.b.example:8443&frame=https://c.example&base=https://d.example';
    const policy = String((await policyFor(query)).headers['content-security-policy']);
    expect(policy).toContain('connect-src blob: data: wss://a.example;');
    expect(policy).toContain('img-src blob: data: https://*.b.example:8443;');
    expect(policy).toContain("script-src 'unsafe-inline' 'unsafe-eval' blob: data: https://*.b.example:8443;");
    expect(policy).toContain('frame-src https://c.example;');
    expect(policy).toContain('base-uri https://d.example;');
  });

  test('connections beyond the policy are forbidden by a header of their own, which covers WebRTC', async () => {
    const headerFor = async (query: string) => (await policyFor(query)).headers['connection-allowlist'];
    expect(await headerFor('')).toBe('()');
    expect(
      await headerFor('&connect=wss://a.example:81&resource=https://*.b.example&connect=https://*.b.example'),
    ).toBe('("wss://a.example:81/*" "https://*.b.example/*")');
    // Documents of other hosts inside the content have a network of their own.
    expect(await headerFor('&frame=https://c.example')).toBeUndefined();
  });

  test.each([
    'https://a.example;script-src *',
    "https://a.example 'unsafe-inline'",
    'https://a.example\r\nset-cookie: a=b',
    'https://a.example"',
    '*',
    'https:',
    'https://*',
    'https://a.example/path',
    'https://user@a.example',
    'javascript:alert(1)',
  ])('rejects %j', async (source) => {
    const answer = await policyFor(`&connect=${encodeURIComponent(source)}`);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('is not an origin');
  });

  test('rejects a policy with too many entries', async () => {
    expect(await policyFor('&connect=https://a.example'.repeat(65))).toMatchObject({ status: 400 });
  });
});

describe('with --frame-origin', () => {
  test('the page names it, and its host serves frames only', async () => {
    const { ask: askPage, port } = await start({
      security: { allowHosts: ['tools.example.com'], tokens: [ANNE] },
      frames: { frameOrigin: 'https://frames.example.net' },
    });
    const props = await askPage('/props', { headers: { host: 'tools.example.com', ...as(ANNE) } });
    expect(props.json).toMatchObject({ frame_origin: 'https://frames.example.net' });
    const page = await askPage('/', { headers: { host: 'tools.example.com' } });
    expect(page.headers['content-security-policy']).toContain('frame-src https://frames.example.net;');
    const query = toQuery('https://tools.example.com');
    const headers = { host: 'frames.example.net', 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' };
    const outer = await askPage(`/frame/outer?${query}`, { headers });
    expect(outer.status).toBe(200);
    expect(outer.headers['content-security-policy']).toContain('frame-ancestors https://tools.example.com;');
    expect(outer.headers['content-security-policy']).toContain('allow-same-origin');
    for (const path of ['/', '/api/conversations', '/props', '/health']) {
      expect([path, (await askPage(path, { headers: { ...headers, ...as(ANNE) } })).status]).toEqual([path, 404]);
    }
    expect((await askPage('/', { headers: { host: `frames.example.net:${port}` } })).status).toBe(403);
  });
});

test('at the port of the page the documents are opaque', async () => {
  const started = await start();
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };
  const outer = await started.ask(`/frame/outer?${toQuery(started.url)}`, { headers });
  expect(outer.status).toBe(200);
  expect(outer.headers['content-security-policy']).toContain("frame-ancestors 'self'");
  expect(outer.headers['content-security-policy']).not.toContain('allow-same-origin');
  const foreign = await started.ask(`/frame/outer?${toQuery(started.url)}`, { headers: { host: 'attacker.example' } });
  expect(foreign.status).toBe(403);
});

test('--frame-port reports a port in use', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  await expect(start({ frames: { framePort: port } })).rejects.toMatchObject({
    code: 'bad_config',
    message: expect.stringContaining(String(port)) as string,
    hint: expect.stringContaining('--frame-port') as string,
  });
  other.close();
});
