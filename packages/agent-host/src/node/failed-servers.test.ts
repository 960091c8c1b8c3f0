import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServerConfig } from '@toolyard/mcp-host';
import { ToolyardError } from '@toolyard/protocol';
import { eventually, isAlive, listProcessTree, startModelServer } from '@toolyard/testing';
import { createAgent } from './index.ts';
import { agentOn, DATE_SERVER } from './test-fixtures/test-agent.ts';

/** A port of this machine on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** An HTTP server that answers every request with this status. */
async function answering(status: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

const stdio = (id: string, command: string, args: string[] = []): ServerConfig => ({
  id,
  transport: { type: 'stdio', command, args },
});

const FAILING: { what: string; of: () => Promise<ServerConfig>; code: string; says: RegExp }[] = [
  {
    what: 'a command that does not exist',
    of: async () => stdio('gone', 'no-such-command-here'),
    code: 'command_not_found',
    says: /no-such-command-here.*absolute path/s,
  },
  {
    what: 'a program that exits',
    of: async () => stdio('gone', process.execPath, ['-e', 'console.error("no key"); process.exit(3)']),
    code: 'server_exited',
    says: /no key|3/,
  },
  {
    what: 'a closed port',
    of: async () => {
      const url = `http://127.0.0.1:${await closedPort()}/mcp`;
      return { id: 'gone', transport: { type: 'http', url } };
    },
    code: 'server_unreachable',
    says: /cannot be reached.*host and port/s,
  },
  {
    what: 'a server that requires a sign-in',
    of: async () => ({ id: 'gone', transport: { type: 'http', url: await answering('401 Unauthorized') } }),
    code: 'needs_sign_in',
    says: /sign/i,
  },
];

describe('a server that was awaited and cannot be used', () => {
  it.for(FAILING)('rejects createAgent and leaves no process: $what', async ({ of, code, says }) => {
    await using model = await startModelServer([]);
    const before = new Set(listProcessTree(process.pid));
    const seen = new Set<number>();
    const servers = [DATE_SERVER, await of()];
    const thrown: unknown = await agentOn(model, {
      servers,
      log: () => {
        for (const pid of listProcessTree(process.pid)) if (!before.has(pid)) seen.add(pid);
      },
    }).catch((error: unknown) => error);
    expect(ToolyardError.isInstance(thrown), String(thrown)).toBe(true);
    const { code: actual, message, hint } = thrown as ToolyardError;
    expect(actual, message).toBe(code);
    expect(message).toMatch(/^1 of 2 MCP servers cannot be used:\n- gone: /);
    expect(message).toMatch(says);
    expect(hint).toContain('failedServers');
    // The other server was running, and is stopped.
    expect(seen.size).toBeGreaterThan(0);
    expect([...seen].filter((pid) => isAlive(pid))).toEqual([]);
  });

  it('names all of them', async () => {
    await using model = await startModelServer([]);
    const servers = [stdio('one', 'no-such-command-1'), DATE_SERVER, stdio('two', 'no-such-command-2')];
    await expect(agentOn(model, { servers })).rejects.toThrow(/2 of 3 .*\n- one: .*-1.*\n- two: .*-2/s);
  });

  it('counts as failed while it is retried, when a slower one becomes ready', async () => {
    await using model = await startModelServer([]);
    const flag = join(mkdtempSync(join(tmpdir(), 'toolyard-slow-')), 'retried');
    onTestFinished(() => rmSync(dirname(flag), { recursive: true }));
    let connections = 0;
    const gone = createServer((socket) => {
      socket.on('error', () => undefined);
      if (++connections === 1) socket.destroy();
      else writeFileSync(flag, '');
    });
    gone.listen(0, '127.0.0.1');
    await once(gone, 'listening');
    onTestFinished(() => void gone.close());
    const { port } = gone.address() as AddressInfo;
    const { transport } = DATE_SERVER;
    const { command, args = [] } = transport.type === 'stdio' ? transport : { command: '' };
    const wait = `while [ ! -e '${flag}' ]; do sleep 0.1; done; exec "$0" "$@"`;
    const servers: ServerConfig[] = [
      { id: 'gone', transport: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } },
      stdio('slow', 'sh', ['-c', wait, command, ...args]),
    ];
    const creating = createAgent({ model: { baseUrl: model.url, id: 'scripted' }, servers });
    await expect(creating).rejects.toThrow(/^1 of 2 .*\n- gone: /);
  });

  it('is not counted if it is disabled or was not awaited', async () => {
    await using model = await startModelServer([]);
    const gone = stdio('gone', 'no-such-command-here');
    await using disabled = await agentOn(model, { servers: [{ ...gone, disabled: true }] });
    expect(disabled.servers[0]?.state).toBe('disabled');
    for (const waitForServers of ['ready', 0] as const) {
      await using agent = await agentOn(model, { servers: [gone], waitForServers });
      expect(agent.tools).toEqual([]);
    }
    await expect(agentOn(model, { servers: [gone], waitForServers: 60_000 })).rejects.toThrow('gone');
  });
});

it('stops the servers if createAgent is aborted while it waits for one that never answers', async () => {
  await using model = await startModelServer([]);
  const before = new Set(listProcessTree(process.pid));
  const stop = new AbortController();
  const servers = [DATE_SERVER, stdio('silent', process.execPath, ['-e', 'setInterval(() => {}, 1e6)'])];
  const creating = agentOn(model, { servers, signal: stop.signal, failedServers: 'continue' });
  await eventually(() => listProcessTree(process.pid).length >= before.size + 2, { what: 'both processes' });
  stop.abort(new Error('not needed'));
  await expect(creating).rejects.toThrow('not needed');
  await expect(agentOn(model, { servers, signal: stop.signal })).rejects.toThrow('not needed');
  expect(listProcessTree(process.pid).filter((pid) => !before.has(pid))).toEqual([]);
});

it('stops the servers if an agent cannot be created for another reason', async () => {
  await using model = await startModelServer([]);
  const before = new Set(listProcessTree(process.pid));
  const failing = agentOn(model, {
    servers: [DATE_SERVER],
    whileConnecting: () => () => {
      throw new Error('no screen');
    },
  });
  await expect(failing).rejects.toThrow('no screen');
  await expect(agentOn(model, { failedServers: 'ignore' as never })).rejects.toMatchObject({ code: 'bad_request' });
  expect(listProcessTree(process.pid).filter((pid) => !before.has(pid))).toEqual([]);
});
