import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import {
  COMPILED_ONCE,
  COUNT_FILE_VARIABLE,
  LOG_FILE_VARIABLE,
  programArgs,
  registerProcess,
  scriptedMcpCommand,
  within,
} from '@toolyard/testing';
import type { DatabaseProxy } from './database-proxy.ts';
import { startDatabaseProxy } from './database-proxy.ts';
import { callName } from '../support/call-name.ts';
import type { Failing } from '../faults/history.ts';
import type { Role } from './plan.ts';

const BIN = fileURLToPath(new URL('../../packages/cli/src/bin.ts', import.meta.url));
/** On a busy machine. */
const START_MS = 60_000;
const START_AGAIN_MS = 500;
const SHUTDOWN_TIMEOUT_MS = 60_000;
const COUNTER = {
  tools: [{ name: 'count', does: [{ do: 'count' as const }, { do: 'wait' as const, ms: 150 }] }],
};

export type FleetOptions = {
  roles: readonly Role[];
  databaseUrl: string;
  modelUrl: string;
  /** Log lines of a process, except those about start and shutdown. */
  log: (line: string) => void;
};

/** A slot of the fleet: a proxy to the database, a data folder, and its consecutive processes. */
type Slot = {
  role: Role;
  line: DatabaseProxy;
  life: number;
  process: Running | null;
  leaving: AbortController;
  /** Settles when the starting process is ready; the next fault of this slot waits for it. */
  coming: Promise<void>;
};
type Running = { name: string; child: ChildProcess; url: string; exited: Promise<unknown> };

/** Several `toolyard serve` processes on one database, each with its own tool server; all count into one file. */
export class Fleet implements AsyncDisposable {
  readonly failings: Failing[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'toolyard-endurance-'));
  readonly #options: FleetOptions;
  readonly #slots: Slot[] = [];

  private constructor(options: FleetOptions) {
    this.#options = options;
  }

  static async start(options: FleetOptions): Promise<Fleet> {
    const fleet = new Fleet(options);
    const port = Number(new URL(options.databaseUrl).port);
    for (const role of options.roles) {
      const line = await startDatabaseProxy(port);
      const leaving = new AbortController();
      fleet.#slots.push({ role, line, life: 0, process: null, leaving, coming: Promise.resolve() });
    }
    // The first creates the tables.
    for (const slot of fleet.#slots.keys()) await fleet.revive(slot);
    return fleet;
  }

  /** A web process that should work, and a signal that aborts when it no longer does. */
  pick(random: () => number): { url: string; leaving: AbortSignal } | null {
    const working = this.#slots.flatMap(({ role, process, leaving }) =>
      process && isDoor(role) && !leaving.signal.aborted ? [{ url: process.url, leaving: leaving.signal }] : [],
    );
    return working[Math.floor(random() * working.length)] ?? null;
  }

  async kill(slot: number): Promise<void> {
    await this.#slots[slot]?.coming;
    const process = this.#fails(slot, 'killed');
    process?.child.kill('SIGKILL');
    if (process) await within(process.exited, { what: `the exit of ${process.name}` });
  }

  /** Stops a process with SIGTERM, like an upgrade. */
  async leave(slot: number): Promise<void> {
    const place = this.#slots[slot];
    await place?.coming;
    place?.leaving.abort();
    const child = place?.process?.child;
    child?.kill('SIGTERM');
    const giveUp = setTimeout(() => {
      this.#options.log(`${String(place?.process?.name)} did not end within ${String(SHUTDOWN_TIMEOUT_MS)} ms`);
      child?.kill('SIGKILL');
    }, SHUTDOWN_TIMEOUT_MS);
    await place?.process?.exited;
    clearTimeout(giveUp);
    if (place) place.process = null;
  }

  /** Starts the next process of a slot; retries if the database was unreachable, like a supervisor. */
  async revive(slot: number): Promise<void> {
    const place = this.#slots[slot];
    if (!place) return;
    const coming = this.#beginUntilThere(place, slot);
    place.coming = coming.catch(() => undefined);
    await coming;
  }

  async #beginUntilThere(place: Slot, slot: number): Promise<void> {
    const giveUpAt = performance.now() + START_MS;
    for (;;) {
      try {
        await this.#begin(place, slot);
        return;
      } catch (thrown) {
        if (performance.now() > giveUpAt) throw thrown;
        await sleep(START_AGAIN_MS);
      }
    }
  }

  async #begin(place: Slot, slot: number): Promise<void> {
    const name = `w${String(slot)}.${String(++place.life)}`;
    const child = registerProcess(this.#spawn(slot, name, place), name);
    const exited = once(child, 'exit');
    try {
      place.process = { name, child, url: await this.#readAddress(child, name), exited };
      place.leaving = new AbortController();
    } catch (thrown) {
      child.kill('SIGKILL');
      throw thrown;
    }
  }

  async stop(slot: number): Promise<void> {
    await this.#slots[slot]?.coming;
    this.#fails(slot, 'stopped')?.child.kill('SIGSTOP');
  }

  wake(slot: number): void {
    this.#slots[slot]?.process?.child.kill('SIGCONT');
    this.#works(slot);
  }

  async cut(slot: number): Promise<void> {
    await this.#slots[slot]?.coming;
    this.#fails(slot, 'cut off');
    this.#slots[slot]?.line.cut();
  }

  mend(slot: number): void {
    this.#slots[slot]?.line.mend();
    this.#works(slot);
  }

  set deaf(deaf: boolean) {
    for (const { line } of this.#slots) line.deaf = deaf;
  }

  /** How often each call took effect, from the calls that reached the tool. */
  get effects(): Map<string, number> {
    const effects = new Map<string, number>();
    const file = join(this.#folder, 'log');
    for (const line of existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []) {
      const message = parseJson(line);
      if (!message.ok || !isJsonObject(message.value) || message.value['method'] !== 'tools/call') continue;
      const params = message.value['params'];
      const call = callName(isJsonObject(params) ? params['arguments'] : undefined);
      effects.set(call, (effects.get(call) ?? 0) + 1);
    }
    return effects;
  }

  get counted(): number {
    const file = join(this.#folder, 'count');
    return existsSync(file) ? statSync(file).size : 0;
  }

  /** Shuts down all processes cleanly. */
  async close(): Promise<void> {
    await Promise.all(this.#slots.map((_slot, index) => this.leave(index)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process, line } of this.#slots) {
      process?.child.kill('SIGKILL');
      if (process) await within(process.exited, { what: `the exit of ${process.name}` });
      await line.close();
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #fails(slot: number, how: string): Running | null {
    const place = this.#slots[slot];
    if (!place?.process) return null;
    place.leaving.abort();
    this.failings.push({ writer: place.process.name, role: place.role, how, from: Date.now(), until: Infinity });
    return place.process;
  }

  #works(slot: number): void {
    const place = this.#slots[slot];
    if (!place) return;
    place.leaving = new AbortController();
    const failing = this.failings.findLast(({ writer }) => writer === place.process?.name);
    if (failing) failing.until = Date.now();
  }

  #spawn(slot: number, name: string, { role, line }: Slot): ChildProcess {
    const folder = join(this.#folder, String(slot));
    mkdirSync(folder, { recursive: true });
    const env = { [COUNT_FILE_VARIABLE]: join(this.#folder, 'count'), [LOG_FILE_VARIABLE]: join(this.#folder, 'log') };
    const counter = { ...scriptedMcpCommand(COUNTER), env };
    writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { counter } }));
    const database = new URL(this.#options.databaseUrl);
    database.port = String(line.port);
    database.searchParams.set('application_name', name);
    return spawn(
      process.execPath,
      [
        ...['--disable-warning=ExperimentalWarning', ...programArgs(BIN), 'serve'],
        ...['--port', '0', '--no-token', '--no-date', '--no-ui', '--data-dir', folder, '--role', role],
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: process.env['PATH'],
          HOME: this.#folder,
          OPENAI_BASE_URL: this.#options.modelUrl,
          OPENAI_API_KEY: 'k',
          DATABASE_URL: database.href,
          TOOLYARD_SECRET: 'a secret of the endurance test',
          ...COMPILED_ONCE,
        },
      },
    );
  }

  /** Reads its output; resolves when it has printed its URL. */
  async #readAddress(child: ChildProcess, name: string): Promise<string> {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n').filter(Boolean)) this.#options.log(`${name}: ${line}`);
    });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${name} did not start in time`)), START_MS);
      let output = '';
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const url = /http:\/\/[^\s/]+/.exec(output)?.[0];
        if (url === undefined) return;
        clearTimeout(timer);
        resolve(url);
      });
      child.once('exit', () => reject(new Error(`${name} ended before it answered`)));
    });
  }
}

function isDoor(role: Role): boolean {
  return role === 'all' || role === 'web';
}
