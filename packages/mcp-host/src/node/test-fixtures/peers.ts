import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@toolyard/protocol';
import type { FakeClock, McpBehaviour, McpBehaviourName } from '@toolyard/testing';
import { eventually, ownPort, scriptedMcpCommand } from '@toolyard/testing';
import type { McpHostOptions } from '../../host/host-options.ts';
import { McpHost } from '../../host/host.ts';
import { createNodeTransports } from '../transports.ts';
import type { ServerConfig, ServerHealth } from '../../types.ts';

export const everything = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);

/** The path of a script next to this file. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** A scripted server over stdio; `env` is its environment. */
export function scripted(
  id: string,
  behaviour: McpBehaviourName | McpBehaviour,
  more: Partial<ServerConfig> & { env?: Record<string, string> } = {},
): ServerConfig {
  const { env = {}, ...config } = more;
  return { id, transport: { type: 'stdio', ...scriptedMcpCommand(behaviour), env }, ...config };
}

/** A host with real transports, connected. */
export async function connected(servers: ServerConfig[], more: Partial<McpHostOptions> = {}): Promise<McpHost> {
  const host = newHost(servers, more);
  await host.connectAll();
  return host;
}

export function newHost(servers: ServerConfig[], more: Partial<McpHostOptions> = {}): McpHost {
  return new McpHost({
    servers,
    createTransport: createNodeTransports({ fetch: (input, init) => fetch(input, init) }),
    clock: systemClock,
    clientInfo: { name: 'toolyard-test', version: '0' },
    ...more,
  });
}

/** Closes a host with a fake clock. */
export function closeOn(clock: FakeClock, host: McpHost): Promise<void> {
  return advanceUntil(clock, host.close());
}

/** Advances a fake clock until the condition holds, with real time for processes to exit. */
export async function advanceUntil(clock: FakeClock, done: Promise<unknown>): Promise<void> {
  let isDone = false;
  const doing = done.then(() => (isDone = true));
  await eventually(async () => (await clock.advance(1_000), isDone), { everyMs: 100 });
  await doing;
}

export function getHealth(host: McpHost, id: string): ServerHealth {
  const health = host.health().find((each) => each.id === id);
  if (health === undefined) throw new Error(`no server ${id}`);
  return health;
}

/** A real HTTP server on a free port; `close` drops its connections. */
export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A URL where nothing listens, with a port that no other test gets. */
export async function freeAddress(): Promise<string> {
  return `http://127.0.0.1:${await ownPort()}/mcp`;
}

/** The reference server over Streamable HTTP, on this or a free port. */
export async function startEverything(at?: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const { port } = new URL(at ?? (await freeAddress()));
  const child = spawn(process.execPath, [everything, 'streamableHttp'], {
    env: { PATH: process.env['PATH'] ?? '', PORT: port },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      if (chunk.toString('utf8').includes('listening on port')) resolve();
    };
    child.stdout.on('data', onData);
    child.stderr.on('data', onData);
    child.once('exit', () => reject(new Error('the reference server exited')));
  });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}
