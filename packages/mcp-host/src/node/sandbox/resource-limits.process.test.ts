import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { getPriority, release } from 'node:os';
import { join } from 'node:path';
import type { McpResourceLimits } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import {
  createFakeClock,
  eventually,
  isAlive,
  needs,
  listProcessTree,
  registerProcess,
  SANDBOX,
  sharedTmp,
  within,
} from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { explainEnd } from '../../connection/connect-failure.ts';
import { resourceLimits } from '../../host/resource-limits.ts';
import type { SandboxedEnd } from '../run-sandboxed.ts';
import { runSandboxed } from '../run-sandboxed.ts';
import { createStdioTransport } from '../stdio-transport.ts';
import type { OverLimit } from './resource-watch.ts';
import { ResourceWatch } from './resource-watch.ts';

let folder = '';
beforeEach(() => (folder = realpathSync(mkdtempSync(join(sharedTmp(), 'toolyard-limits-')))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const FOREVER = 'while :; do sleep 1; done';
/** Holds 300 MB in 10 MB pieces, and then only waits. */
const HOG = `node -e 'const all = []; for (let i = 0; i < 30; i++) all.push(Buffer.alloc(1e7, 1)); setInterval(() => all, 1e6)'`;
const HOGS: [keyof McpResourceLimits, string, number, string][] = [
  ['memoryMb', HOG, 150, 'used more than its limit of 150 MB of memory'],
  [
    'processes',
    `for i in $(seq 40); do sleep 1000 & done; ${FOREVER}`,
    20,
    'started more than its limit of 20 processes',
  ],
  ['processes', `for i in $(seq 40); do setsid sleep 1000 & done; ${FOREVER}`, 20, 'started more than its limit of 20'],
  ['fileMb', 'head -c 5000000 /dev/zero > big', 1, 'wrote a file larger than its limit of 1 MB'],
  [
    'writtenMb',
    `for i in $(seq 9); do head -c 1000000 /dev/zero > $i; done; ${FOREVER}`,
    4,
    'wrote more than its limit of 4 MB',
  ],
  // By processes whose parent has exited, and that have exited too.
  [
    'writtenMb',
    `for i in $(seq 9); do (head -c 1000000 /dev/zero > $i &); done; ${FOREVER}`,
    4,
    'wrote more than its limit of 4 MB',
  ],
  // In files in memory, which no process has mapped.
  ...['/dev/shm', '/dev'].map((place): (typeof HOGS)[number] => [
    'memoryMb',
    `for i in $(seq 9); do head -c 20000000 /dev/zero > ${place}/$i; done; ${FOREVER}`,
    100,
    'used more than its limit of 100 MB of memory',
  ]),
];

function run(command: string, limits?: McpResourceLimits): Promise<SandboxedEnd> {
  return runSandboxed({
    ...{ id: 'limits', command: 'sh', args: ['-c', command], input: '', folder, timeoutMs: 60_000 },
    ...{ maxOutputLength: 10_000, signal: new AbortController().signal, clock: systemClock },
    ...(limits === undefined ? {} : { limits }),
    sandbox: { stateFolder: join(folder, 'state') },
  });
}

test('variables of the dynamic linker reach the program, and not what starts its sandbox', needs(SANDBOX), async () => {
  const { output, code } = await runSandboxed({
    ...{ id: 'linker', command: 'sh', args: ['-c', 'echo "$LD_PRELOAD $MODE"'], input: '', folder, timeoutMs: 60_000 },
    ...{ maxOutputLength: 10_000, signal: new AbortController().signal, clock: systemClock },
    env: { LD_PRELOAD: join(folder, 'missing.so'), MODE: 'a' },
    sandbox: { stateFolder: join(folder, 'state') },
  });
  // The linker reports the missing library once for each program it loads: none of them is bubblewrap.
  expect([code, output]).toEqual([0, expect.stringContaining(`${folder}/missing.so a`) as string]);
  expect(output).not.toContain('bwrap');
});

test('a tree without a namespace of its own, as before bubblewrap made one, is charged with its own processes only', async () => {
  const child = spawn('sh', ['-c', 'sleep 1000 & wait'], { stdio: 'ignore', detached: true });
  const { pid = 0 } = child;
  await eventually(() => listProcessTree(pid).length > 1, { what: 'the process below' });
  const clock = createFakeClock();
  const over: string[] = [];
  const limits = { ...resourceLimits({}, 2), memoryMb: 60, processes: 5 };
  const end = ResourceWatch.start({
    pid,
    limits,
    clock,
    onOver: ({ limit }) => over.push(limit),
    onSlowed: () => undefined,
  });
  await clock.advance(2_000);
  end();
  process.kill(-pid, 'SIGKILL');
  expect(over).toEqual([]);
});

describe('a command', needs(SANDBOX), () => {
  test.each(HOGS)('over its limit of %s is stopped, and says so: %s', async (limit, command, value, text) => {
    const end = await run(command, { [limit]: value });
    expect(end).toMatchObject({ isTimeout: false, overLimit: expect.stringContaining(text) as string });
    if (limit === 'fileMb') expect(statSync(join(folder, 'big')).size).toBe(1_048_576);
  });

  test('below the default limits is not disturbed, and leaves no memory dump', async () => {
    const end = await run('ulimit -c; head -c 3000000 /dev/zero > file; for i in $(seq 50); do sleep 0.2 & done; wait');
    expect(end).toMatchObject({ code: 0, output: '0\n' });
    expect(end).not.toHaveProperty('overLimit');
  });

  test('has a limit of processes and threads that the system enforces on the sandbox', async () => {
    const { output } = await run('ulimit -u 2>/dev/null || ulimit -p', { processes: 20 });
    const [major = 0, minor = 0] = release().split('.').map(Number);
    const isPerSandbox = process.platform === 'linux' && (major > 5 || (major === 5 && minor >= 14));
    expect(output === '320\n').toBe(isPerSandbox);
  });

  test('cannot fill the memory by its temporary folder', async () => {
    const end = await run('head -c 9000000 /dev/zero > /tmp/file; ls -l /tmp/file', { memoryMb: 8 });
    expect(end.output).toMatch(/No space left on device/);
  });
});

test(
  'a server over its limit ends with all its processes, and the error names limit, value and setting',
  needs(SANDBOX),
  async () => {
    const transport = createStdioTransport(
      {
        type: 'stdio',
        command: 'sh',
        args: ['-c', `for i in $(seq 40); do setsid sleep 1000 & done; ${FOREVER}`],
        sandbox: { limits: { processes: 20 } },
      },
      { serverId: 'many', clock: systemClock, log: () => undefined },
      { sandbox: { stateFolder: join(folder, 'state') } },
    );
    const closed = new Promise<void>((resolve) => (transport.onclose = resolve));
    await transport.start();
    const pids = 'pid' in transport && typeof transport.pid === 'number' ? listProcessTree(transport.pid) : [];
    await within(closed, { what: 'the end of the server' });
    await transport.close();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(transport.end).toEqual({ kind: 'over_limit', limit: 'processes', value: 20 });
    expect(transport.end && explainEnd('many', 'connected', transport.end)).toMatchObject({
      message: expect.stringMatching(/it started more than its limit of 20 processes\.$/) as string,
      hint: 'If it needs more, raise "sandbox.limits.processes" of its entry in mcp.json.',
    });
  },
);

test('a tree that sees the processes of the machine, as a sandbox does while it starts, is not charged for them', async () => {
  const child = spawn('sh', ['-c', 'sh -c "sleep 1000; true"; true'], { stdio: 'ignore' });
  registerProcess(child, 'a tree without a namespace');
  const pid = child.pid ?? 0;
  await eventually(() => listProcessTree(pid).length === 3, { what: 'the tree' });
  const clock = createFakeClock();
  const over: OverLimit[] = [];
  const watch = (processes: number): (() => void) =>
    ResourceWatch.start({
      ...{ pid, clock, limits: { ...resourceLimits({}, 2), processes } },
      onOver: (each) => over.push(each),
      onSlowed: () => expect.fail('slowed'),
    });
  const ends = [watch(1), watch(0)];
  await clock.advance(5_000);
  for (const end of ends) end();
  for (const each of listProcessTree(pid)) process.kill(each, 'SIGKILL');
  expect(over).toEqual([{ limit: 'processes', value: 0 }]);
});

test(
  'a server above its limit of processor cores yields to everything else, and is not stopped',
  needs(SANDBOX),
  async () => {
    const transport = createStdioTransport(
      { type: 'stdio', command: 'sh', args: ['-c', 'while :; do :; done'], sandbox: {} },
      { serverId: 'busy', clock: systemClock, log: () => undefined },
      { sandbox: { stateFolder: join(folder, 'state') } },
    );
    await transport.start();
    const pid = 'pid' in transport && typeof transport.pid === 'number' ? transport.pid : 0;
    // The busy loop: bubblewrap, its first process, and the shell.
    const busy = await eventually(() => listProcessTree(pid)[2], { what: 'the busy process' });
    const usual = getPriority(busy);
    const clock = createFakeClock();
    let slowed = 0;
    const end = ResourceWatch.start({
      ...{ pid, clock, limits: { ...resourceLimits({}, 2), cpuCores: 1e-6 } },
      onOver: () => expect.fail('stopped'),
      onSlowed: () => slowed++,
    });
    for (let second = 0; second < 299; second++) await clock.advance(1_000);
    expect([slowed, getPriority(busy)]).toEqual([0, usual]);
    // Its processor time is real: on a busy machine it may have had none so far.
    await eventually(async () => {
      await clock.advance(10_000);
      return slowed > 0;
    });
    expect([slowed, getPriority(busy)]).toEqual([1, 19]);
    end();
    await transport.close();
  },
);
