import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPILED_ONCE, ownPort, programArgs, registerProcess, within } from '@toolyard/testing';

const BIN = fileURLToPath(new URL('../../packages/cli/src/bin.ts', import.meta.url));

/** A `toolyard serve` in a process of its own, on a data folder that outlives it. */
export type ServerProcess = {
  url: string;
  readonly dataDir: string;
  /** What it wrote to stderr. */
  log(): string;
  /** Like a power failure: SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on the same port and folder. */
  restart(env?: NodeJS.ProcessEnv): Promise<void>;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function startServerProcess(
  options: { args?: string[]; env?: NodeJS.ProcessEnv; token?: boolean } = {},
): Promise<ServerProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'toolyard-e2e-'));
  let log = '';
  let child: ChildProcess | undefined;
  let url = '';

  async function start(port: string, env: NodeJS.ProcessEnv): Promise<void> {
    const args = ['--disable-warning=ExperimentalWarning', ...programArgs(BIN), 'serve', '--data-dir', dataDir];
    const started = spawn(
      process.execPath,
      [...args, '--port', port, ...(options.token ? [] : ['--no-token']), ...(options.args ?? [])],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'], HOME: dataDir, ...COMPILED_ONCE, ...options.env, ...env },
      },
    );
    child = registerProcess(started, 'toolyard serve');
    started.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
    const found = new Promise<string>((resolve, reject) => {
      let told = '';
      started.stdout.setEncoding('utf8').on('data', (text: string) => {
        told += text;
        const address = /http:\/\/[^\s/]+/.exec(told)?.[0];
        if (address !== undefined) resolve(address);
      });
      started.once('exit', (code) => reject(new Error(`the server ended with ${String(code)}:\n${log}`)));
    });
    url = await within(found, { what: `the URL of toolyard serve ${started.pid}` });
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ended = child;
    if (!ended || ended.exitCode !== null || ended.signalCode !== null) return;
    const exit = once(ended, 'exit');
    ended.kill(signal);
    await within(exit, { what: `the exit of toolyard serve ${ended.pid} after ${signal}` });
  }

  await start(String(await ownPort()), {});
  return {
    get url() {
      return url;
    },
    dataDir,
    log: () => log,
    kill: () => end('SIGKILL'),
    restart: async (env = {}) => {
      await end('SIGKILL');
      await start(new URL(url).port, env);
    },
    stop: () => end('SIGTERM'),
    async [Symbol.asyncDispose]() {
      await end('SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
