import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import type { McpHost } from '../host.ts';
import type { TransportConfig } from '../types.ts';
import { killAllStdioChildren } from './process-group.ts';
import { createStdioTransport } from './stdio-transport.ts';
import { clock, connected, fixture, healthOf, isAlive, until } from './test-fixtures/peers.ts';

const linux = process.platform === 'linux';
const script = fixture('legacy-server.mjs');

let host: McpHost | undefined;
afterEach(() => host?.close());

/** Processes whose environment or arguments carry the mark, zombies left out. */
function processesMarked(mark: string): number[] {
  const found: number[] = [];
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue;
    try {
      const isZombie = /^State:\s+Z/m.test(readFileSync(`/proc/${entry}/status`, 'utf8'));
      if (!isZombie && readFileSync(`/proc/${entry}/environ`, 'utf8').includes(mark)) found.push(Number(entry));
    } catch {
      // It ended while we looked.
    }
  }
  return found;
}

async function connectMarked(mark: string, command: string, args: string[]): Promise<void> {
  const transport: TransportConfig = { type: 'stdio', command, args, env: { TOOLYARD_MARK: mark } };
  host = await connected([{ id: 'odd', transport }]);
  expect(healthOf(host, 'odd').state).toBe('ready');
  expect(processesMarked(mark).length).toBeGreaterThan(0);
}

describe.runIf(linux)('after closing, nothing is left', () => {
  test.each([
    ['a server started directly', process.execPath, [script, 'good']],
    ['a server that ignores SIGTERM', process.execPath, [script, 'stubborn']],
    ['a stubborn server behind sh -c', 'sh', ['-c', `'${process.execPath}' '${script}' stubborn`]],
    [
      'a stubborn server behind a shell that waits for it',
      'sh',
      ['-c', `'${process.execPath}' '${script}' stubborn; true`],
    ],
    ['a server with a stubborn child of its own', process.execPath, [script, 'leaves-child']],
  ])('%s', async (name, command, args) => {
    const mark = `mark-${name.replaceAll(' ', '-')}-${process.pid}`;
    await connectMarked(mark, command, args);
    await host?.close();
    expect(processesMarked(mark)).toEqual([]);
  });

  test('a server behind npx', async () => {
    const mark = `mark-npx-${process.pid}`;
    await connectMarked(mark, 'npx', ['--no-install', 'mcp-server-everything', 'stdio']);
    await host?.close();
    expect(processesMarked(mark)).toEqual([]);
  });

  test('what a server leaves behind when it exits by itself', async () => {
    const mark = `mark-orphan-${process.pid}`;
    await connectMarked(mark, process.execPath, [script, 'leaves-child']);
    expect(processesMarked(mark)).toHaveLength(2);
    await host?.callTool({ serverId: 'odd', name: 'echo' }, { how: 'crash' });
    await until(() => processesMarked(mark).length === 0);
  });

  test('a server that was never ready', async () => {
    const mark = `mark-silent-${process.pid}`;
    const args = ['-c', `'${process.execPath}' '${script}' silent; true`];
    const transport: TransportConfig = { type: 'stdio', command: 'sh', args, env: { TOOLYARD_MARK: mark } };
    host = await connected([{ id: 'odd', transport, connectTimeoutMs: 500 }]);
    expect(healthOf(host, 'odd').state).toBe('failed');
    expect(processesMarked(mark)).toEqual([]);
  });

  test('not even when the process exits without closing', async () => {
    const mark = `mark-exit-${process.pid}`;
    const root = fileURLToPath(new URL('./index.ts', import.meta.url));
    const owner = spawn(process.execPath, [...process.execArgv, '--input-type=module', '-e', ownerScript(root, mark)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await new Promise((resolve) => owner.once('exit', resolve));
    expect(owner.exitCode).toBe(5);
    // A process that was killed takes a moment to be gone; nobody is left who could wait for it.
    await until(() => processesMarked(mark).length === 0);
  });
});

/** A process that starts a stubborn server, waits until it runs, and exits in a hurry. */
function ownerScript(index: string, mark: string): string {
  return `
    import { createStdioTransport, killAllStdioChildren } from ${JSON.stringify(index)};
    const clock = { now: Date.now, monotonic: () => performance.now(), after: () => () => {} };
    const config = { type: 'stdio', command: 'sh', args: ['-c', ${JSON.stringify(`'${process.execPath}' '${script}' stubborn; true`)}], env: { TOOLYARD_MARK: ${JSON.stringify(mark)} } };
    const transport = createStdioTransport(config, { serverId: 'x', clock, log() {} });
    process.on('exit', killAllStdioChildren);
    transport.onmessage = () => process.exit(5);
    await transport.start();
    await transport.send({ jsonrpc: '2.0', id: 1, method: 'server/discover' });
  `;
}

test('the emergency stop ends what runs and leaves the host with a failed server', async () => {
  host = await connected([
    { id: 'odd', transport: { type: 'stdio', command: process.execPath, args: [script, 'stubborn'] } },
  ]);
  killAllStdioChildren();
  await until(() => healthOf(host as McpHost, 'odd').state === 'failed');
  expect(healthOf(host, 'odd').error?.message).toContain('SIGKILL');
});

test('a line without end is cut off and the server ended', async () => {
  const config: TransportConfig = { type: 'stdio', command: process.execPath, args: [script, 'long-line'] };
  const transport = createStdioTransport(
    config,
    { serverId: 'odd', clock, log: () => undefined },
    { longestLineBytes: 100_000 },
  );
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  await transport.start();
  await closed;
  expect(transport.end).toEqual({ kind: 'line_too_long', limitBytes: 100_000 });
  await transport.close();
  const { pid } = transport as unknown as { pid: number };
  expect(isAlive(pid)).toBe(false);
});

test('closing twice, and closing what never started, is harmless', async () => {
  const config: TransportConfig = { type: 'stdio', command: process.execPath, args: [script] };
  const transport = createStdioTransport(config, { serverId: 'odd', clock, log: () => undefined });
  await transport.close();
  await transport.close();
  await expect(transport.send({ jsonrpc: '2.0', method: 'x' })).rejects.toThrow('Not connected');
});

test('the wait for a drained pipe ends when the server goes', async () => {
  const config: TransportConfig = { type: 'stdio', command: 'sleep', args: ['60'] };
  const transport = createStdioTransport(config, { serverId: 'odd', clock, log: () => undefined });
  await transport.start();
  const sending = transport.send({ jsonrpc: '2.0', method: 'x', params: { much: 'x'.repeat(1_000_000) } });
  await transport.close();
  await sending;
});
