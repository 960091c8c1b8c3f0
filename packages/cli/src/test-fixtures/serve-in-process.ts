import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownPort } from '@toolyard/testing';
import { main } from '../main.ts';
import type { MemoryIo } from './memory-io.ts';
import { createMemoryIo } from './memory-io.ts';

export type ServeOptions = {
  /** Behind `toolyard serve --data-dir … --port …`. */
  args?: readonly string[];
  /** True: with its access token, as users start it. Default: `--no-token`, so that tests can call the API at once. */
  token?: boolean;
  /** Added to the environment of commands in tests. */
  env?: Readonly<Record<string, string | undefined>>;
  /** A folder of the caller, which stays; by default a new one that is removed on disposal. */
  dataDir?: string;
  /** The command; by default its sources, which take seconds to load in a test runner. */
  main?: typeof main;
};

/** `toolyard serve` in this process: the same `main` as the binary, on a real port. */
export type ServeInProcess = AsyncDisposable & {
  readonly url: string;
  readonly dataDir: string;
  /** What it wrote to stderr, over all starts. */
  log(): string;
  /** What it wrote to stdout since the last start. */
  stdout(): string;
  /** Sends SIGTERM and waits until everything is closed; returns the exit code. */
  stop(): Promise<number>;
  /** Stops it if it runs, and starts it again on the same port and folder. */
  restart(env?: Readonly<Record<string, string | undefined>>): Promise<void>;
};

type Running = { io: MemoryIo; returned: Promise<number> };

/** Rejects with what the server wrote to stderr if it does not start. */
export async function serveInProcess(options: ServeOptions = {}): Promise<ServeInProcess> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'toolyard-serve-'));
  const port = await ownPort();
  let earlierLog = '';
  let running: Running | null = null;
  let last: MemoryIo | null = null;
  let url = '';

  async function start(env: ServeOptions['env'] = {}): Promise<void> {
    const io = createMemoryIo({ env: { ...options.env, ...env } });
    earlierLog += last?.stderr.text ?? '';
    const args = ['serve', '--data-dir', dataDir, '--port', String(port), ...(options.token ? [] : ['--no-token'])];
    args.push(...(options.args ?? []));
    const returned = Promise.race([(options.main ?? main)(args, io), io.exited]);
    last = io;
    url = await new Promise<string>((resolve, reject) => {
      io.stdout.on('captured', () => {
        const found = /http:\/\/[^\s/]+/.exec(io.stdout.text);
        if (found) resolve(found[0]);
      });
      returned.then((code) => reject(new Error(`the server ended with ${String(code)}:\n${io.stderr.text}`)), reject);
    });
    running = { io, returned };
  }

  async function stop(): Promise<number> {
    if (running === null) return 0;
    const { io, returned } = running;
    running = null;
    io.signal('SIGTERM');
    return returned;
  }

  await start();
  return {
    get url() {
      return url;
    },
    dataDir,
    log: () => earlierLog + (last?.stderr.text ?? ''),
    stdout: () => last?.stdout.text ?? '',
    stop,
    async restart(env = {}) {
      await stop();
      await start(env);
    },
    async [Symbol.asyncDispose]() {
      await stop();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
