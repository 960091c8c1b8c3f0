import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { defined, systemClock } from '@toolyard/protocol';
import {
  eventually,
  isAlive,
  needs,
  listProcessTree,
  SANDBOX,
  sharedTmp,
  SOURCE_CONDITION,
  within,
} from '@toolyard/testing';
import { afterEach, expect, test } from 'vitest';
import type { HostTransport } from '../../transports/transport.ts';
import type { EscapeReport, EscapeTargets } from '../test-fixtures/escaping-server.ts';
import { fixture } from '../test-fixtures/peers.ts';
import type { StdioConfig } from './sandboxed-command.ts';
import { createStdioTransport } from '../stdio-transport.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A folder outside of everything a sandbox shows. Not on tmpfs: the devices of a sandbox are its own. */
function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(sharedTmp(), 'toolyard-escape-')));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function setVariable(name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  ends.push(() => (before === undefined ? delete process.env[name] : (process.env[name] = before)));
}

async function listen(path: string): Promise<void> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen({ path }, resolve));
  ends.push(() => new Promise((resolve) => server.close(resolve)));
}

/** A machine worth attacking: keys in the home folder, a data folder, other processes, sockets. */
async function prepare(): Promise<EscapeTargets> {
  const base = newFolder();
  const marker = `escape-${base.split('-').at(-1)}`;
  const canary = `canary-${marker}`;
  const home = join(base, 'home');
  const at: EscapeTargets = {
    canary,
    home,
    dataFolder: join(base, 'project/data'),
    stateFolder: join(base, 'state'),
    secretFile: write(join(base, 'project/secret.txt'), canary),
    readable: join(base, 'project/readable'),
    writable: join(base, 'project/writable'),
    outsidePid: 0,
    toolyardPid: process.pid,
    unixSocket: join(base, 'service.sock'),
    abstractSocket: marker,
    sharedMemory: marker,
    marker,
  };
  write(join(home, '.ssh/id_rsa'), canary);
  write(join(home, '.npmrc'), canary);
  write(join(at.dataFolder, 'secret.key'), canary);
  write(join(at.dataFolder, 'mcp.json'), canary);
  write(join(at.stateFolder, 'other/cache'), canary);
  write(join(at.readable, 'note.txt'), 'note');
  symlinkSync(at.secretFile, join(at.readable, 'out'));
  mkdirSync(at.writable);
  setVariable('HOME', home);
  setVariable('OPENAI_API_KEY', canary);
  await listen(at.unixSocket);
  await listen(join(at.readable, 'agent.sock'));
  await listen(`\0${at.abstractSocket}`);
  write(`/dev/shm/${marker}`, canary);
  ends.push(() => rmSync(`/dev/shm/${marker}`, { force: true }));
  const outside = spawn('sleep', ['600'], { argv0: `sleep-${marker}`, detached: true, stdio: 'ignore' });
  ends.push(() => outside.kill('SIGKILL'));
  return { ...at, outsidePid: outside.pid ?? 0 };
}

type Sandboxed = { readable: string[]; writable: string[]; network?: 'off' | string[] };

function hostile({ readable, writable, network }: Sandboxed): StdioConfig {
  const script = fixture('escaping-server.ts');
  return {
    type: 'stdio',
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', script, 'serve', 'stubborn'],
    sandbox: { read: [script, ...readable], write: writable, ...defined({ network }) },
  };
}

async function startHostile(at: EscapeTargets, sandboxed: Sandboxed): Promise<HostTransport> {
  const transport = createStdioTransport(
    hostile(sandboxed),
    { serverId: 'hostile', clock: systemClock, log: () => undefined },
    { sandbox: { dataFolders: [at.dataFolder], stateFolder: at.stateFolder } },
  );
  ends.push(() => transport.close());
  await transport.start();
  return transport;
}

function ask(transport: HostTransport, method: string, params: Record<string, unknown>): Promise<unknown> {
  const answer = new Promise((resolve, reject) => {
    transport.onmessage = (message) => ('result' in message ? resolve(message.result) : undefined);
    transport.onclose = () => reject(new Error(JSON.stringify(transport.end)));
  });
  void transport.send({ jsonrpc: '2.0', id: 1, method, params });
  return within(answer, { what: `the answer to ${method}` });
}

/** Processes of this machine with the marker in their command line. */
function marked(marker: string): number[] {
  return listProcessTree(1).filter((pid) => {
    try {
      return isAlive(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith(`\0${marker}\0`);
    } catch {
      return false;
    }
  });
}

test('no escape works without a network either', needs(SANDBOX), async () => {
  const at = await prepare();
  const transport = await startHostile(at, { readable: [at.readable], writable: [at.writable], network: 'off' });
  const { escaped } = (await ask(transport, 'escape', { at })) as EscapeReport;
  expect(escaped).toEqual([]);
});

test('none of 60 escapes works, approved access does, and nothing is left behind', needs(SANDBOX), async () => {
  const at = await prepare();
  const transport = await startHostile(at, { readable: [at.readable], writable: [at.writable] });
  const { tried, escaped, works } = (await ask(transport, 'escape', { at })) as EscapeReport;
  expect(escaped).toEqual([]);
  expect(tried.length).toBeGreaterThanOrEqual(60);
  expect(works).toEqual(Object.fromEntries(Object.keys(works).map((name) => [name, true])));
  expect(existsSync(`/tmp/${at.marker}`)).toBe(false);
  expect(existsSync(join(at.writable, 'result'))).toBe(true);
  expect(marked(at.marker)).toHaveLength(1);
  await transport.close();
  await eventually(() => marked(at.marker).length === 0, { what: 'the exit of the left-behind process' });
});

test(
  'a server that ignores end of input, and its children, exit after Toolyard is killed',
  needs(SANDBOX),
  async () => {
    const at = await prepare();
    const request = {
      config: hostile({ readable: [at.readable], writable: [at.writable] }),
      stateFolder: at.stateFolder,
      ask: at,
    };
    const owner = spawn(process.execPath, [SOURCE_CONDITION, fixture('killed-owner.ts'), JSON.stringify(request)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    ends.push(() => owner.kill('SIGKILL'));
    await within(once(owner.stdout, 'data'), { what: 'the first answer of the server' });
    const pids = listProcessTree(owner.pid ?? 0).filter((pid) => pid !== owner.pid);
    expect(pids.length).toBeGreaterThanOrEqual(3);
    expect(marked(at.marker)).toHaveLength(1);
    owner.kill('SIGKILL');
    await eventually(() => pids.every((pid) => !isAlive(pid)) && marked(at.marker).length === 0, {
      what: 'the exit of all processes of the server',
    });
  },
);

test('a missing folder, or one of Toolyard, is named and prevents the start', needs(SANDBOX), async () => {
  const at = await prepare();
  const start = (readable: string[]): Promise<unknown> => startHostile(at, { readable, writable: [] });
  await expect(start([join(at.home, 'gone')])).rejects.toThrow(/"sandbox.read" names ".*gone", which does not exist/);
  await expect(start([join(at.dataFolder, 'secret.key')])).rejects.toThrow(/belongs to Toolyard itself/);
  await expect(start(['/'])).rejects.toThrow(/whole file system/);
});

test('replacing a writable folder by a link does not expose the target of the link', needs(SANDBOX), async () => {
  const at = await prepare();
  const data = join(at.writable, 'data');
  mkdirSync(data);
  await startHostile(at, { readable: [data], writable: [at.writable] });
  rmSync(data, { recursive: true });
  symlinkSync(join(at.home, '.ssh'), data);
  const again = startHostile(at, { readable: [data], writable: [at.writable] });
  await expect(again).rejects.toThrow(/follows the link ".*data", which the server itself can change/);
});

test('a fake docker, or a folder given as certificates, is sandboxed', needs(SANDBOX), async () => {
  const at = await prepare();
  const command = write(join(at.readable, 'docker'), `#!/bin/sh\ncat ${at.home}/.ssh/id_rsa\necho read >&2\n`);
  chmodSync(command, 0o755);
  const logged: string[] = [];
  const env = { SSL_CERT_DIR: join(at.home, '.ssh') };
  const transport = createStdioTransport(
    { type: 'stdio', command, args: ['run', 'image'], env, sandbox: { read: [at.readable] } },
    { serverId: 'docker', clock: systemClock, log: (_level, line) => void logged.push(line) },
    { sandbox: { dataFolders: [at.dataFolder], stateFolder: at.stateFolder } },
  );
  ends.push(() => transport.close());
  await transport.start();
  expect(transport.isolation?.kind).toBe('sandboxed');
  await eventually(() => logged.includes('read'), { what: 'the exit of the script' });
  expect(logged.join()).toContain('No such file');
});
