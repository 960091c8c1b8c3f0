import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundled, COMMAND } from '../../scripts/programs.ts';
import type { Load, Memory, OwnerToProbe, ProbeToOwner } from './probe.ts';

/** A data folder on this machine's disk, taken away again with everything in it. */
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
  /** From its start to the line that says where it is, in milliseconds. */
  startMs: number;
  /** Resets the load that {@link ServerProcess.load} reports. */
  begin(): Promise<void>;
  load(): Promise<Load>;
  memory(): Promise<Memory>;
};

export type ServerOptions = {
  dataFolder: string;
  /** Model servers, by the id their models are asked for with. */
  providers: Readonly<Record<string, string>>;
  /** MCP servers besides the bundled one, as mcp.json has them. */
  mcpServers?: Readonly<Record<string, { command: string; args: string[] }>>;
  args?: readonly string[];
  /** Besides the bench's own. */
  env?: Readonly<Record<string, string>>;
  /** Where a CPU profile is left, and its name; null for none. */
  profile: Profile | null;
};

type Profile = { folder: string; name: string };

/** The arguments that make Node leave a CPU profile. */
export function profiling(profile: Profile | null): string[] {
  if (profile === null) return [];
  return ['--cpu-prof', `--cpu-prof-dir=${resolve(profile.folder)}`, `--cpu-prof-name=${profile.name}.cpuprofile`];
}

const PROBE = new URL('./probe.ts', import.meta.url).href;
const START_MS = 30_000;
const ANSWER_MS = 10_000;
const FAREWELL_MS = 10_000;
/** What a server says that starts and ends as it should. */
const USUAL = /^toolyard: (data in|ending;|conversations and runs in|--no-token:).*\n/gm;

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
    // The conditions this process runs with: what the bench loads into it are sources.
    [
      ...process.execArgv,
      ...profiling(profile),
      '--import',
      PROBE,
      program,
      'serve',
      '--data-dir',
      dataFolder,
      '--port',
      '0',
      '--no-token',
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env: { ...process.env, NODE_ENV: 'production', ...env } },
  );
  child.stderr?.setEncoding('utf8').on('data', (text: string) => process.stderr.write(text.replaceAll(USUAL, '')));
  try {
    const url = await addressOf(child);
    return processOf(child, { url, startMs: performance.now() - begun });
  } catch (thrown) {
    child.kill('SIGKILL');
    throw thrown;
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the server said nothing for ${START_MS / 1000} s`)), START_MS);
    let told = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      told += text;
      const found = /http:\/\/[^\s/]+/.exec(told)?.[0];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${String(code)}`)));
  });
}

function processOf(child: ChildProcess, { url, startMs }: { url: string; startMs: number }): ServerProcess {
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));

  function ask<T extends ProbeToOwner['type']>(
    question: OwnerToProbe,
    type: T,
  ): Promise<Extract<ProbeToOwner, { type: T }>> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the server does not answer the bench')), ANSWER_MS);
      child.once('message', (message) => {
        clearTimeout(timer);
        const answer = message as ProbeToOwner;
        if (answer.type === type) resolve(answer as Extract<ProbeToOwner, { type: T }>);
        else reject(new Error(`the server said ${answer.type} where ${type} was due`));
      });
      child.send(question);
    });
  }

  return {
    url,
    startMs,
    begin: async () => void (await ask('begin', 'begun')),
    load: () => ask('load', 'load'),
    memory: () => ask('memory', 'memory'),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), FAREWELL_MS);
      await gone;
      clearTimeout(timer);
    },
  };
}
