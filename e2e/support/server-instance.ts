import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { COMPILED_ONCE, programArgs, registerProcess, within } from '@toolyard/testing';
import type { TestServerSettings } from './test-server.ts';
import { startTestServer } from './test-server.ts';

const SERVER_PROCESS = fileURLToPath(new URL('./server-process.ts', import.meta.url));

/** A server under test that runs in the process of the test: cheap, but it cannot be killed. */
export type LocalServerInstance = {
  readonly url: string;
  /** The failpoints passed so far, in order. */
  passed(): string[];
  /** Closes it, and waits until it is closed. */
  end(): Promise<void>;
};

/** A server under test in a process of its own, up to its exit. */
export type ServerInstance = LocalServerInstance & {
  /** Settles with the signal it was killed by, or null; has no deadline, so tests await {@link exited}. */
  readonly over: Promise<NodeJS.Signals | null>;
  /** The same, with a deadline. */
  exited(): Promise<NodeJS.Signals | null>;
  kill(): void;
  signal(name: NodeJS.Signals): void;
};

/** Where a server kills itself: at the nth hit of a failpoint; `*` matches any. */
export type Fault = {
  place: string;
  hit: number;
  /** Hits count only after this failpoint: how often others are hit before may differ from run to run. */
  after?: string;
  /** Of several processes given the same file, only the first to get there is killed. */
  onceFile?: string;
};

/** Starts a process; resolves when the server responds. */
export async function startProcess(settings: TestServerSettings, home: string, fault?: Fault): Promise<ServerInstance> {
  const args = ['--disable-warning=ExperimentalWarning', ...programArgs(SERVER_PROCESS), JSON.stringify(settings)];
  const name = settings.role ?? 'server';
  const child = registerProcess(
    spawn(process.execPath, [...args, ...(fault ? [JSON.stringify(fault)] : [])], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: home, ...settings.env, ...COMPILED_ONCE },
    }),
    name,
  );
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const over = once(child, 'exit').then(([, signal]) => signal as NodeJS.Signals | null);
  const exited = (): Promise<NodeJS.Signals | null> => within(over, { what: `the exit of ${name} ${child.pid}` });
  const failed = over.then((signal) => {
    throw new Error(`the ${name} exited (${String(signal)}) before it answered: ${stderr}`);
  });
  const said = Promise.race([once(child.stdout, 'data').then(([data]) => String(data)), failed]);
  const line = await within(said, { what: `the URL of ${name} ${child.pid}` });
  return {
    url: line.trim(),
    passed: () => passedIn(settings),
    over,
    exited,
    kill: () => void child.kill('SIGKILL'),
    signal: (signal) => void child.kill(signal),
    async end() {
      child.kill('SIGKILL');
      await exited();
    },
  };
}

/** Starts the same server in the process of the test. */
export async function startHere(settings: TestServerSettings, home: string): Promise<LocalServerInstance> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, ...settings.env };
  const server = await startTestServer({ ...settings, env }, { log: () => undefined });
  return {
    url: server.url,
    passed: () => passedIn(settings),
    end: () => within(server.close(), { what: `the end of the server at ${server.url}` }),
  };
}

function passedIn({ passedFile }: TestServerSettings): string[] {
  return existsSync(passedFile) ? readFileSync(passedFile, 'utf8').split('\n').filter(Boolean) : [];
}
