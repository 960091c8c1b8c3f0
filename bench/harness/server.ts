import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { NO_TITLES } from '@toolyard/testing';
import { bundled, COMMAND } from '../../scripts/programs.ts';
import type { Load, Memory, OwnerToProbe, ProbeToOwner } from './probe.ts';
import { peerOf } from './process.ts';

/** A temporary data folder on disk, deleted with its content. */
export type DataFolder = { path: string; [Symbol.dispose](): void };

export function makeDataFolder(): DataFolder {
  const path = mkdtempSync(join(tmpdir(), 'toolyard-bench-'));
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  // On Ctrl-C servers end with the process that started them.
  process.once('exit', remove);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  return { path, [Symbol.dispose]: remove };
}

/** `toolyard serve`, as a user starts it, in a process of its own. */
export type ServerProcess = AsyncDisposable & {
  url: string;
  /** Milliseconds from the start to the line with its URL. */
  startMs: number;
  /** Resets the load that {@link ServerProcess.load} reports. */
  begin(): Promise<void>;
  load(): Promise<Load>;
  /** User and system time of all threads since the start. */
  cpuMs(): Promise<number>;
  memory(): Promise<Memory>;
};

export type ServerOptions = {
  dataFolder: string;
  /** Model servers by provider ID. */
  providers: Readonly<Record<string, string>>;
  /** Entries of mcp.json. */
  mcpServers?: Readonly<Record<string, { command: string; args: string[] }>>;
  args?: readonly string[];
  /** Added to those of the bench. */
  env?: Readonly<Record<string, string>>;
  /** Folder and name of a CPU profile; null for none. */
  profile: Profile | null;
};

type Profile = { folder: string; name: string };

/** Arguments of Node that write a CPU profile. */
export function profiling(profile: Profile | null): string[] {
  if (profile === null) return [];
  return ['--cpu-prof', `--cpu-prof-dir=${resolve(profile.folder)}`, `--cpu-prof-name=${profile.name}.cpuprofile`];
}

const PROBE = new URL('./probe.ts', import.meta.url).href;
const START_MS = 30_000;
const ANSWER_MS = 10_000;
/** Log lines of a normal start and shutdown. */
const NORMAL_LINES = /^toolyard: (data folder:|shutting down;|conversations and runs:|--no-token:).*\n/gm;

export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { dataFolder, providers, mcpServers = {}, args = [], env = {}, profile } = options;
  mkdirSync(dataFolder, { recursive: true });
  const listed = Object.entries(providers).map(([id, baseUrl]) => ({ id, baseUrl }));
  writeFileSync(join(dataFolder, 'config.json'), JSON.stringify({ providers: listed }));
  writeFileSync(join(dataFolder, 'mcp.json'), JSON.stringify({ mcpServers }));
  const program = join(await bundled(COMMAND), 'packages/cli/src/bin.js');
  const begun = performance.now();
  const child = spawn(
    process.execPath,
    // The conditions of this process, because the bench loads sources into it.
    [
      ...[...process.execArgv, ...profiling(profile), '--import', PROBE],
      ...[program, 'serve', '--data-dir', dataFolder, '--port', '0', '--no-token', ...args],
    ],
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env: { ...process.env, NODE_ENV: 'production', ...NO_TITLES, ...env } },
  );
  child.stderr
    ?.setEncoding('utf8')
    .on('data', (text: string) => process.stderr.write(text.replaceAll(NORMAL_LINES, '')));
  try {
    const url = await readAddress(child);
    return toProcess(child, { url, startMs: performance.now() - begun });
  } catch (thrown) {
    child.kill('SIGKILL');
    throw thrown;
  }
}

function readAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`the server printed no URL within ${START_MS / 1000} s`)),
      START_MS,
    );
    let told = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      told += text;
      const found = /http:\/\/[^\s/]+/.exec(told)?.[0];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server exited with ${String(code)}`)));
  });
}

function toProcess(child: ChildProcess, { url, startMs }: { url: string; startMs: number }): ServerProcess {
  const peer = peerOf<OwnerToProbe, ProbeToOwner>(child, () => child.kill('SIGTERM'));
  async function ask<T extends ProbeToOwner['type']>(
    question: OwnerToProbe,
    type: T,
  ): Promise<Extract<ProbeToOwner, { type: T }>> {
    const answer = await peer.ask(question, ANSWER_MS);
    if (answer.type !== type) throw new Error(`the server answered ${answer.type} instead of ${type}`);
    return answer as Extract<ProbeToOwner, { type: T }>;
  }
  return {
    url,
    startMs,
    begin: async () => void (await ask('begin', 'begun')),
    load: () => ask('load', 'load'),
    cpuMs: async () => (await ask('cpu', 'cpu')).cpuMs,
    memory: () => ask('memory', 'memory'),
    [Symbol.asyncDispose]: () => peer.end(),
  };
}
