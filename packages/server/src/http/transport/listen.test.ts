import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { systemClock } from '@toolyard/protocol';
import { createFakeClock, eventually } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { listen } from './listen.ts';
import { createTestModels } from '../test-fixtures/providers-and-servers.ts';
import type { TestServer } from '../test-fixtures/test-server.ts';
import { startTestServer } from '../test-fixtures/test-server.ts';

let server: TestServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe('startup errors', () => {
  test('report a port in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    server = await startTestServer();
    const again = listen(server.app, { host: '127.0.0.1', port, clock: systemClock });
    await expect(again).rejects.toMatchObject({
      code: 'bad_config',
      message: expect.stringContaining(`Port ${port} is in use`) as string,
      hint: expect.stringContaining('--port') as string,
    });
    other.close();
  });

  test('report an address of another machine', async () => {
    server = await startTestServer();
    const elsewhere = listen(server.app, { host: '192.0.2.1', port: 0, clock: systemClock });
    await expect(elsewhere).rejects.toMatchObject({
      code: 'bad_config',
      message: expect.stringContaining('192.0.2.1') as string,
    });
  });
});

test('accepts only the address of the request as a name when listening on all addresses', async () => {
  server = await startTestServer({ host: '0.0.0.0' });
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  expect((await server.ask('/health')).status).toBe(200);
  for (const host of [`0.0.0.0:${server.port}`, `10.0.0.1:${server.port}`, `anything.example:${server.port}`]) {
    expect((await server.ask('/health', { headers: { host } })).status).toBe(403);
  }
});

/** Models whose list is held back until the test releases it. */
function heldModels(): { models: ReturnType<typeof createTestModels>; requested: Promise<void>; release: () => void } {
  const [requested, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const models = createTestModels();
  const held: typeof models = {
    ...models,
    async list(principal) {
      requested.resolve();
      await rest.promise;
      return models.list(principal);
    },
  };
  return { models: held, requested: requested.promise, release: rest.resolve };
}

describe('stopping', () => {
  test('ends streams, finishes requests in progress, accepts no new ones', async () => {
    const { models, requested, release } = heldModels();
    server = await startTestServer({ change: { models, clock: createFakeClock() } });
    const agent = new Agent({ keepAlive: true });
    const stream = await respond(server.url, '/api/events', agent);
    const listing = respond(server.url, '/api/models', agent).then(readText);
    await requested;
    const closed = server.close();
    expect(await readText(stream)).toMatch(/: the server is stopping\n\n$/);
    await expect(fetch(`${server.url}/health`)).rejects.toThrow();
    release();
    expect(await listing).toContain('models');
    await closed;
    agent.destroy();
    server = undefined;
  });

  test('closes idle connections at once, and others after their response', async () => {
    const { models, requested, release } = heldModels();
    server = await startTestServer({ change: { models, clock: createFakeClock() } });
    const endedConnections: string[] = [];
    const [unused, rested, busy, late] = await Promise.all(
      ['unused', 'rested', 'busy', 'late'].map((name) => opened(server, name, endedConnections)),
    );
    if (!unused || !rested || !busy || !late) throw new Error('not opened');
    for (const each of [rested, late]) {
      each.ask('/health');
      await eventually(() => each.read().includes('"status":"ok"'));
    }
    busy.ask('/api/models');
    await requested;

    // Arrives before the server stops, and is read afterwards.
    late.ask('/health');
    const closed = server.close().then(() => endedConnections.push('stopped'));
    await Promise.all([unused.ended, rested.ended, late.ended]);
    expect(late.read().match(/"status":"ok"/g)).toHaveLength(2);
    expect(late.read()).toMatch(/connection: close/i);
    expect(endedConnections.toSorted()).toEqual(['late', 'rested', 'unused']);

    release();
    await closed;
    await busy.ended;
    expect(busy.read()).toMatch(/200 OK[^]*connection: close[^]*"models"/i);
    expect(endedConnections.slice(3).toSorted()).toEqual(['busy', 'stopped']);
    server = undefined;
  });

  test('does not wait forever for a request that hangs', async () => {
    let asked = (): void => {};
    const requested = new Promise<void>((resolve) => (asked = resolve));
    const list = (): Promise<never> => {
      asked();
      return new Promise<never>(() => {});
    };
    const models = { ...createTestModels(), list };
    server = await startTestServer({ change: { models } });
    const clock = createFakeClock();
    const second = await listen(server.app, { host: '127.0.0.1', port: 0, clock });
    const hanging = respond(second.url, '/api/models').catch((error: unknown) => error);
    await requested;
    const closed = second.close();
    await clock.advance(5_000);
    await closed;
    expect(await hanging).toBeInstanceOf(Error);
  });
});

/** An idle connection. Its name is added when the server closes it cleanly. */
async function opened(of: TestServer | undefined, name: string, endedConnections: string[]) {
  const socket: Socket = connect(of?.port ?? 0, '127.0.0.1').setEncoding('utf8');
  let text = '';
  socket.on('data', (chunk: string) => (text += chunk));
  const ended = once(socket, 'end').then(() => endedConnections.push(name));
  await once(socket, 'connect');
  return {
    ask: (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${of?.port}\r\n\r\n`),
    read: () => text,
    ended,
  };
}

function respond(url: string, path: string, agent?: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(`${url}${path}`, agent === undefined ? {} : { agent }, resolve)
      .on('error', reject)
      .end();
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}
