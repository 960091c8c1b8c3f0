import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { within } from '@toolyard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HostProxy } from './host-proxy.ts';
import { startHostProxy } from './host-proxy.ts';
import { isOwn } from './outgoing.ts';
import { upstreamProxies } from './upstream-proxy.ts';

/** The only host; it answers with the URL of the request. */
const web = createServer((incoming, response) => response.end(`web ${incoming.url ?? ''}`));
/** A corporate proxy: rejects requests without its password and forwards every host to `web`. */
let proxyLog: string[] = [];
const company = createServer((incoming, response) => {
  proxyLog.push(`${incoming.method} ${incoming.url ?? ''}`);
  if (incoming.headers['proxy-authorization'] !== PASSWORD) return void response.writeHead(407).end();
  incoming.pipe(request({ port: getPort(web), path: incoming.url }, (answer) => answer.pipe(response)));
});
company.on('connect', (incoming, client) => {
  proxyLog.push(`CONNECT ${incoming.url ?? ''}`);
  if (incoming.headers['proxy-authorization'] !== PASSWORD) return void client.end('HTTP/1.1 407 No\r\n\r\n');
  const target = connect(getPort(web), '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
  target.on('error', () => client.destroy());
  client.on('error', () => target.destroy());
  target.pipe(client).pipe(target);
});
const PASSWORD = `Basic ${Buffer.from('ann:s:cret').toString('base64')}`;

let proxy: HostProxy | undefined;
beforeEach(async () => {
  proxyLog = [];
  for (const server of [web, company]) await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  await proxy?.[Symbol.asyncDispose]();
  for (const server of [web, company]) {
    server.close();
    server.closeAllConnections();
  }
});

function getPort(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function start(hosts: string[], env: Record<string, string>): Promise<void> {
  proxy = await startHostProxy({ at: 0, hosts, upstream: upstreamProxies(env), onBlocked: () => undefined });
}

/** A plain request for a URL, and the first response line through a tunnel, both through the proxy of a server. */
function get(url: string): Promise<string> {
  const options = { host: '127.0.0.1', port: proxy?.port, path: url, agent: false };
  return within(answerTo(options), { what: `the answer for ${url}` });
}

function answerTo(options: object): Promise<string> {
  return new Promise((resolve, reject) => {
    request(options, (response) => {
      let text = `${response.statusCode} `;
      response.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });
}

function tunnelTo(target: string): Promise<string> {
  const options = { host: '127.0.0.1', port: proxy?.port, method: 'CONNECT', path: target, agent: false };
  const answer = new Promise<string>((resolve, reject) => {
    request(options)
      .on('connect', (response, socket, head) => {
        if (response.statusCode === 200) {
          resolve(answerTo({ path: '/inside', createConnection: () => socket }));
          return;
        }
        let text = `${response.statusCode} ${head.toString()}`;
        socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => resolve(text.trim()));
      })
      .on('error', reject)
      .end();
  });
  return within(answer, { what: `the answer to CONNECT ${target}` });
}

const proxyUrl = (credentials = 'ann:s%3Acret@'): string => `http://${credentials}127.0.0.1:${getPort(company)}`;

test('uses the proxies of the machine, with their password, for listed hosts only', async () => {
  await start(['intranet.example'], {
    HTTPS_PROXY: proxyUrl(),
    http_proxy: proxyUrl(),
    HTTP_PROXY: 'http://gone.example',
  });
  expect(await get('http://intranet.example/a')).toBe('200 web http://intranet.example/a');
  expect(await tunnelTo('intranet.example:443')).toBe('200 web /inside');
  expect(await get('http://other.example/')).toBe('403 ');
  expect(await tunnelTo('other.example:443')).toBe('403');
  expect(proxyLog).toEqual(['GET http://intranet.example/a', 'CONNECT intranet.example:443']);
});

test('connects no name to this machine, even through a proxy, and no listed local address through a proxy', async () => {
  const port = getPort(web);
  await start(['localhost', `localhost:${port}`, `127.0.0.1:${port}`], {
    HTTPS_PROXY: proxyUrl(),
    HTTP_PROXY: proxyUrl(),
  });
  expect(await tunnelTo(`localhost:${port}`)).toMatch(/^502 localhost is an address of this machine/);
  expect(await get(`http://localhost:${port}/`)).toMatch(/^502 localhost is an address/);
  expect(await get(`http://127.0.0.1:${port}/near`)).toBe('200 web /near');
  expect(await tunnelTo(`127.0.0.1:${port}`)).toBe('200 web /inside');
  expect(proxyLog).toEqual([]);
});

test('treats network addresses of this machine and of cloud metadata as local', () => {
  const own = Object.values(networkInterfaces()).flatMap((cards) => cards?.map(({ address }) => address) ?? []);
  for (const address of [...own, '169.254.169.254', '::ffff:169.254.169.254', 'fd00:ec2::254']) {
    expect([address, isOwn(address)]).toEqual([address, true]);
  }
  expect(['192.0.2.7', '2001:db8::7', 'own.example'].filter(isOwn)).toEqual([]);
});

test('reports what the proxy of the machine rejects', async () => {
  await start(['intranet.example'], { ALL_PROXY: proxyUrl('') });
  expect(await tunnelTo('intranet.example:443')).toBe(`502 the proxy 127.0.0.1:${getPort(company)} answered 407`);
  expect(await get('http://intranet.example/')).toBe('407 ');
});

test.each([
  ['a.example', 443, 'A.example', true],
  ['b.a.example', 443, '.a.example', true],
  ['ba.example', 443, 'a.example', false],
  ['a.example', 8443, 'a.example:443', false],
  ['10.1.2.3', 443, 'x, 10.0.0.0/8', true],
  ['11.1.2.3', 443, '10.0.0.0/8 10.0.0.0/99', false],
  ['::1', 443, '[::1]:443', true],
  ['anything', 1, '*', true],
])('connects to %s:%i directly with NO_PROXY=%s: %s', (host, port, rules, isDirect) => {
  const upstream = upstreamProxies({ HTTPS_PROXY: 'proxy.example:3128', NO_PROXY: rules });
  expect(upstream('https:', host, port) === undefined).toBe(isDirect);
});

test('rejects an unusable proxy', () => {
  expect(() => upstreamProxies({ ALL_PROXY: 'socks5://127.0.0.1:1080' })).toThrow(/ALL_PROXY is a URL with "socks5:"/);
  expect(() => upstreamProxies({ HTTPS_PROXY: 'http://[bad' })).toThrow(/HTTPS_PROXY is not a URL/);
});
