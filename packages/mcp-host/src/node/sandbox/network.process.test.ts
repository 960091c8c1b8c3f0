import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@toolyard/protocol';
import { needs, SANDBOX, within } from '@toolyard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SandboxSettings } from '../../config/sandbox-settings.ts';
import type { HostTransport } from '../../transports/transport.ts';
import { createStdioTransport } from '../stdio-transport.ts';

const web = createServer((request, response) => response.end(`you asked for ${request.url ?? ''}`));
const folder = mkdtempSync(join(tmpdir(), 'toolyard-network-'));
let transport: HostTransport | undefined;
beforeEach(() => new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve)));
afterEach(async () => {
  await transport?.close();
  await new Promise((resolve) => web.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

/** Requests the URL directly and through the proxy, and other hosts through the proxy; reports each result. */
const CLIENT = `
const http = require('node:http');
const port = Number(process.argv[1]);
const get = (options) => new Promise((resolve) => {
  http.get({ ...options, agent: new http.Agent() }, (response) => {
    let text = '';
    response.on('data', (chunk) => (text += chunk)).on('end', () => resolve(response.statusCode + ' ' + text));
  }).on('error', (error) => resolve(error.code));
});
const through = (url) => get({ host: '127.0.0.1', port: 3128, path: url });
const tunnel = (target) => new Promise((resolve) => {
  http.request({ host: '127.0.0.1', port: 3128, method: 'CONNECT', path: target, agent: new http.Agent() })
    .on('connect', (response, socket) => (socket.destroy(), resolve(response.statusCode)))
    .on('error', (error) => resolve(error.code)).end();
});
(async () => {
  const result = {
    direct: await get({ host: '127.0.0.1', port }),
    proxy: await through('http://127.0.0.1:' + port + '/x'),
    fetched: await fetch('http://127.0.0.1:' + port + '/y').then((response) => response.text(), () => 'failed'),
    tunnel: await tunnel('127.0.0.1:' + port),
    others: [await through('http://other.example/'), await tunnel('other.example:443'), await tunnel('localhost:22')],
    variable: process.env.HTTPS_PROXY,
  };
  console.log(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  process.stdin.resume();
})();
`;

async function reached(network: SandboxSettings['network'], port: number): Promise<unknown> {
  const sandbox = network === undefined ? {} : { network };
  transport = createStdioTransport(
    { type: 'stdio', command: process.execPath, args: ['-e', CLIENT, String(port)], sandbox },
    { serverId: 'web', clock: systemClock, log: () => undefined },
    { sandbox: { stateFolder: folder } },
  );
  const answer = new Promise((resolve) => {
    if (transport) transport.onmessage = (message) => ('result' in message ? resolve(message.result) : undefined);
  });
  await transport.start();
  return within(answer, { what: 'the result of the server' });
}

test('a server without a network reaches nothing, not even this machine', needs(SANDBOX), async () => {
  const { port } = web.address() as AddressInfo;
  const others = ['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED'];
  const nothing = { direct: 'ECONNREFUSED', proxy: 'ECONNREFUSED', fetched: 'failed', tunnel: 'ECONNREFUSED', others };
  expect(await reached('off', port)).toEqual(nothing);
  expect(transport?.isolation).toMatchObject({ kind: 'sandboxed', network: 'off' });
});

test(
  'a server limited to hosts reaches them through its proxy, and blocked connections are listed',
  needs(SANDBOX),
  async () => {
    const { port } = web.address() as AddressInfo;
    expect(await reached([`127.0.0.1:${port}`], port)).toEqual({
      direct: 'ECONNREFUSED',
      proxy: '200 you asked for /x',
      fetched: 'you asked for /y',
      tunnel: 200,
      others: ['403 ', 403, 403],
      variable: 'http://127.0.0.1:3128',
    });
    expect(transport?.isolation).toEqual({
      kind: 'sandboxed',
      network: 'hosts',
      blocked: [
        { kind: 'host', target: 'other.example' },
        { kind: 'host', target: 'localhost:22' },
      ],
      proposed: [],
    });
  },
);
