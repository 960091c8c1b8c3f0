import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually, isAlive, listProcessTree, reply, startModelServer, startScriptedMcp } from '@toolyard/testing';
import { tool } from '../functions/tool.ts';
import { createAgent } from './index.ts';
import { agentOn, DATE_SERVER, EVERYTHING_SERVER } from './test-fixtures/test-agent.ts';

const OK = tool({
  name: 'ok',
  description: 'Says ok.',
  inputSchema: { type: 'object' },
  execute: () => Promise.resolve('ok'),
});

/** A server that accepts connections and reads from them when `until` resolves. */
async function startHeldMcp(until: Promise<unknown>) {
  const inner = await startScriptedMcp('plain');
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const onward = connect(Number(new URL(inner.url).port), '127.0.0.1');
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
    void until.then(() => socket.pipe(onward).pipe(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    connections: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await inner.close();
    },
  };
}

describe('createAgent', () => {
  it('with failedServers "continue" reports an unreachable server and works with the others', async () => {
    const log: string[] = [];
    await using server = await startModelServer([reply.text('Fine.')]);
    await using agent = await agentOn(server, {
      servers: [DATE_SERVER, { id: 'gone', transport: { type: 'stdio', command: 'no-such-command-here' } }],
      failedServers: 'continue',
      log: (line) => log.push(line),
    });
    expect(agent.tools.map(({ name }) => name)).toEqual(['get-date']);
    expect(agent.servers[1]).toMatchObject({ state: 'failed', error: { code: 'command_not_found' } });
    expect(log.join('\n')).toContain('no-such-command-here');
    expect((await agent.run('Hi').result).text).toBe('Fine.');
  });

  it('does not wait for a server that does not respond, if asked; it joins when it is ready', async () => {
    await using server = await startModelServer([
      reply.toolCalls([{ name: 'echo', arguments: {} }]),
      reply.text('Fine.'),
    ]);
    const release = Promise.withResolvers<void>();
    const late = await startHeldMcp(release.promise);
    onTestFinished(() => late.close());
    const servers = [DATE_SERVER, { id: 'late', transport: { type: 'http' as const, url: late.url } }];
    for (const waitForServers of ['ready', 20] as const) {
      await using agent = await agentOn(server, { servers, waitForServers, tools: [OK] });
      expect(agent.servers.find(({ id }) => id === 'late')?.state).toBe('connecting');
      expect(agent.tools.map(({ name }) => name)).toContain('ok');
    }
    await using agent = await agentOn(server, { servers, waitForServers: 'ready', allow: ['late/echo'] });
    release.resolve();
    await eventually(() => agent.tools.some(({ name }) => name === 'echo'), { what: 'the late server' });
    expect((await agent.run('Hi').result).calls[0]?.result.isError).toBe(false);
  });

  it('waits for a server that is slow by default, and rejects an invalid wait', async () => {
    await using server = await startModelServer([]);
    const release = Promise.withResolvers<void>();
    const late = await startHeldMcp(release.promise);
    onTestFinished(() => late.close());
    const servers = [{ id: 'late', transport: { type: 'http' as const, url: late.url } }];
    const creating = agentOn(server, { servers });
    await eventually(() => late.connections() > 0, { what: 'the first connection' });
    release.resolve();
    await using agent = await creating;
    expect(agent.servers[0]?.state).toBe('ready');
    for (const waitForServers of [-1, Number.NaN, 'soon'] as never[]) {
      await expect(agentOn(server, { waitForServers })).rejects.toMatchObject({ code: 'bad_request' });
    }
  });

  it('needs no configuration for the demo, which says that it is not a model', async () => {
    await using agent = await createAgent({ model: { demo: true }, servers: [DATE_SERVER] });
    const { calls, text } = await agent.run('What time is it in Tokyo?').result;
    expect(calls[0]?.result.isError).toBe(false);
    expect(text).toMatch(/\d{1,2}:\d{2}/);
  });

  it('closes client and transport, stops child processes, and logs it', async () => {
    const log: string[] = [];
    await using server = await startModelServer([reply.text('', { finish: null, done: false, thenSilence: true })]);
    const before = new Set(listProcessTree(process.pid));
    const agent = await agentOn(server, { servers: [DATE_SERVER, EVERYTHING_SERVER], log: (line) => log.push(line) });
    const children = listProcessTree(process.pid).filter((pid) => !before.has(pid));
    expect(children.length).toBeGreaterThanOrEqual(2);
    const run = agent.run('Hi');
    await agent.close();
    expect((await run.result).status).toBe('cancelled');
    expect(children.filter((pid) => isAlive(pid))).toEqual([]);
    expect(log.filter((line) => line.endsWith('disconnected'))).toHaveLength(2);
    expect(() => agent.run('Hi')).toThrow(/closed/);
    await agent.close();
  });
});
