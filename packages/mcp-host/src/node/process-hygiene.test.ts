import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { McpBehaviour, McpBehaviourName } from '@toolyard/testing';
import {
  createSteadyClock,
  eventually,
  isAlive,
  needs,
  listProcessTree,
  programArgs,
  runNode,
  scriptedMcpCommand,
  UNIX,
  within,
} from '@toolyard/testing';
import type { Clock } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { afterEach, describe, expect, test } from 'vitest';
import type { McpHost } from '../host/host.ts';
import type { CreateTransport, HostTransport } from '../transports/transport.ts';
import type { TransportConfig } from '../types.ts';
import { killOrphans, MARKER_VARIABLE, newMarker } from './child-marker.ts';
import { killAllStdioChildren } from './process-group.ts';
import { readPs } from './process-table.ts';
import { createStdioTransport } from './stdio-transport.ts';
import { fixture, getHealth, newHost } from './test-fixtures/peers.ts';

type StdioConfig = Extract<TransportConfig, { type: 'stdio' }>;

let host: McpHost | undefined;
let started: HostTransport[] = [];
afterEach(async () => {
  await host?.close();
  started = [];
});

const remembering: CreateTransport = (config, context) => {
  if (config.type !== 'stdio') throw new Error('only children here');
  const transport = createStdioTransport(config, context);
  started.push(transport);
  return transport;
};

function direct(behaviour: McpBehaviourName | McpBehaviour): StdioConfig {
  return { type: 'stdio', ...scriptedMcpCommand(behaviour) };
}

/** The same behind a shell; with `; true` after the command the shell stays and waits for it. */
function behindShell(behaviour: McpBehaviourName | McpBehaviour, after = ''): StdioConfig {
  const { command, args } = scriptedMcpCommand(behaviour);
  const line = [command, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return { type: 'stdio', command: 'sh', args: ['-c', `${line}${after}`] };
}

/** The waits for a process to exit are a third as long, and count only the time in which this process is scheduled. */
const createEndingClock = (): Clock => createSteadyClock({ times: 3 });

function begin(
  transport: StdioConfig,
  more: { connectTimeoutMs?: number } = {},
  clock: Clock = createEndingClock(),
): Promise<void> {
  host = newHost([{ id: 'odd', transport, ...more }], { createTransport: remembering, clock });
  return host.connectAll();
}

function odd(): ReturnType<typeof getHealth> {
  if (host === undefined) throw new Error('begin first');
  return getHealth(host, 'odd');
}

function getPid(transport: HostTransport): number {
  if (!('pid' in transport) || typeof transport.pid !== 'number') throw new Error('the server has no process');
  return transport.pid;
}

/** Every process of the servers at this moment, including those that lose their parent later. */
function processes(): number[] {
  return started.flatMap((transport) => listProcessTree(getPid(transport)));
}

const running = (pids: number[]): number[] => pids.filter(isAlive);

const EVERYTHING = ['--no-install', 'mcp-server-everything', 'stdio'];

describe('no process is left of', needs(UNIX), () => {
  test.each([
    ['a server started directly', direct('plain'), 1],
    ['a server that ignores SIGTERM', direct('stubborn'), 1],
    ['a stubborn server behind sh -c', behindShell('stubborn'), 1],
    ['a stubborn server behind a shell that waits for it', behindShell('stubborn', '; true'), 2],
    ['a server with a stubborn child of its own', direct('stubborn-child'), 2],
    ['a server with a stubborn child in a session of its own', direct('detached-child'), 2],
    ['a server behind npx', { type: 'stdio', command: 'npx', args: EVERYTHING } satisfies StdioConfig, 2],
  ])('%s', async (_, config, atLeast) => {
    await begin(config);
    expect(odd().state).toBe('ready');
    const pids = processes();
    expect(pids.length).toBeGreaterThanOrEqual(atLeast);
    await host?.close();
    expect(running(pids)).toEqual([]);
  });

  test('a server that exited by itself', async () => {
    await begin(direct('stubborn-child'));
    const pids = processes();
    expect(pids).toHaveLength(2);
    await host?.callTool({ serverId: 'odd', name: 'crash' }, {});
    await eventually(() => running(pids).length === 0);
  });

  test('a server that was never ready', async () => {
    // Only the timeout is controlled by the test: processes need real time to exit.
    let runOut = (): void => undefined;
    const steady = createEndingClock();
    const clock: Clock = {
      ...steady,
      after(ms, callback) {
        if (ms !== 600_000) return steady.after(ms, callback);
        runOut = callback;
        return () => undefined;
      },
    };
    const connecting = begin(behindShell('hang-in-initialize', '; true'), { connectTimeoutMs: 600_000 }, clock);
    const pids = await eventually(() => processes().length === 2 && processes());
    runOut();
    await connecting;
    expect(odd().state).toBe('failed');
    expect(running(pids)).toEqual([]);
  });

  test.each([
    ['a server', behindShell('stubborn', '; true')],
    ['its child in another session', behindShell('detached-child')],
  ])('%s when its owner exits without closing', async (_, server) => {
    const config = JSON.stringify(server);
    const owner = await runNode([...programArgs(fixture('exiting-owner.ts')), config]);
    expect(owner).toMatchObject({ code: 5, stderr: '' });
    const pids = JSON.parse(owner.stdout) as number[];
    expect(pids.length).toBeGreaterThanOrEqual(3);
    // A killed process takes a moment to disappear, and nothing waits for it.
    await eventually(() => running(pids).length === 0);
  });
});

describe('after a restart', needs(UNIX), () => {
  /** Starts a server in its own process, kills that with SIGKILL, and returns the processes of the server. */
  async function leaveBehind(config: StdioConfig): Promise<number[]> {
    const request = JSON.stringify({ config, stateFolder: '/nonexistent', ask: {} });
    const owner = spawn(process.execPath, [...programArgs(fixture('killed-owner.ts')), request], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await within(once(owner.stdout, 'data'), { what: 'the first answer of the server' });
    const pids = listProcessTree(owner.pid ?? 0).filter((pid) => pid !== owner.pid);
    owner.kill('SIGKILL');
    await within(once(owner, 'exit'), { what: 'the exit of the owner' });
    return pids;
  }

  test.each([
    ['a server that ignores end of input', { ...direct('stubborn') }, 1],
    ['its child in another session', direct('detached-child'), 2],
  ])('kills %s left behind by SIGKILL', async (_, config, atLeast) => {
    const pids = await leaveBehind(config);
    expect(pids.length).toBeGreaterThanOrEqual(atLeast);
    await killOrphans(systemClock);
    expect(running(pids)).toEqual([]);
  });

  test('spares processes of a living owner, another namespace or no owner', async () => {
    const [namespace, , started] = newMarker()?.split(':') ?? [];
    const markers = [newMarker(), `1:${process.pid}:1:x`, `${namespace}:nonsense:1:x`, undefined];
    const spared = markers.map((marker) => sleeping(marker));
    const reused = sleeping(`${namespace}:${process.pid}:${Number(started) - 1}:x`);
    await killOrphans(systemClock);
    expect(spared.map(({ pid = 0 }) => isAlive(pid))).toEqual(markers.map(() => true));
    expect(isAlive(reused.pid ?? 0)).toBe(false);
    for (const child of spared) child.kill('SIGKILL');
  });

  function sleeping(marker: string | undefined): ChildProcess {
    const env = marker === undefined ? {} : { [MARKER_VARIABLE]: marker };
    return spawn('sleep', ['60'], { env: { PATH: process.env['PATH'], ...env }, stdio: 'ignore' });
  }
});

test('reads the processes of this user from ps of macOS', () => {
  const output = [
    '  501   1   502 Ss   Mon Nov 23 15:51:48 2026 /bin/sleep 60 PATH=/bin TOOLYARD_CHILD_OF=mac:7:Nov-3-01:x HOME=/h',
    '  502 501   502 Z    Mon Nov  3 15:51:48 2026 (sleep)',
    '  503   1   503 S    Mon Nov  3 15:51:48 2026 /bin/sleep PATH=/bin',
    'nonsense',
  ].join('\n');
  const [only, ...others] = readPs(output, 502);
  expect(others).toEqual([]);
  expect(only).toMatchObject({ pid: 501, parent: 1, started: 'Nov-23-15-51-48-2026' });
  expect(only?.variable(MARKER_VARIABLE)).toBe('mac:7:Nov-3-01:x');
});

test('killAllStdioChildren kills running servers and the host loses its connection', async () => {
  await begin(direct('stubborn'));
  killAllStdioChildren();
  await eventually(() => odd().state === 'reconnecting');
  expect(odd().error?.message).toContain('SIGKILL');
});

test('an endless line is cut off and the server stopped', async () => {
  const transport = createStdioTransport(
    direct({ endlessLine: { bytes: 200_000 } }),
    { serverId: 'odd', clock: systemClock, log: () => undefined },
    { longestLineBytes: 100_000 },
  );
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  await transport.start();
  await closed;
  expect(transport.end).toEqual({ kind: 'line_too_long', limitBytes: 100_000 });
  await transport.close();
  expect(isAlive(getPid(transport))).toBe(false);
});

test('closing twice, or before starting, is harmless', async () => {
  const transport = createStdioTransport(direct('plain'), {
    serverId: 'odd',
    clock: systemClock,
    log: () => undefined,
  });
  await transport.close();
  await transport.close();
  await expect(transport.send({ jsonrpc: '2.0', method: 'x' })).rejects.toThrow('Not connected');
});

test('the wait for a drained pipe ends when the server exits', async () => {
  const config: TransportConfig = { type: 'stdio', command: 'sleep', args: ['60'] };
  const transport = createStdioTransport(config, { serverId: 'odd', clock: createEndingClock(), log: () => undefined });
  await transport.start();
  const sending = transport.send({ jsonrpc: '2.0', method: 'x', params: { much: 'x'.repeat(1_000_000) } });
  await transport.close();
  await sending;
});
