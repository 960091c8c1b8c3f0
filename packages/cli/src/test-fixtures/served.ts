import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, RunRecord } from '@toolyard/protocol';
import type { McpBehaviour, RunNodeOptions, RunNodeResult } from '@toolyard/testing';
import { eventually, ownPort, programArgs, runNode, scriptedMcpCommand } from '@toolyard/testing';
import { BIN, ENV } from './terminal-chat.ts';

const NODE = ['--disable-warning=ExperimentalWarning', ...programArgs(BIN)];

/** The command, run to its end. */
export function toolyard(args: readonly string[], options: RunNodeOptions = {}): Promise<RunNodeResult> {
  return runNode([...NODE, ...args], { env: ENV, ...options });
}

export type ServedOptions = {
  /** The address of a scripted model server. */
  model?: string;
  /** MCP servers by name, for `mcp.json` of the data folder. */
  mcp?: Record<string, McpBehaviour>;
  /** An own data folder that is there already, instead of a new one. */
  dataDir?: string;
  args?: string[];
  env?: NodeJS.ProcessEnv;
};

/** A `toolyard serve` in a process of its own, with a data folder of its own that outlives it. */
export class Served implements AsyncDisposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'toolyard-served-'));
  readonly dataDir: string;
  readonly #options: ServedOptions;
  #child: ChildProcess | undefined;
  #url = '';
  #log = '';
  #said = '';

  private constructor(options: ServedOptions) {
    this.#options = options;
    this.dataDir = options.dataDir ?? join(this.folder, 'data');
    mkdirSync(this.dataDir, { recursive: true });
    if (options.dataDir !== undefined) return;
    const mcpServers: Record<string, object> = {};
    for (const [name, behaviour] of Object.entries(options.mcp ?? {})) mcpServers[name] = scriptedMcpCommand(behaviour);
    writeFileSync(join(this.dataDir, 'mcp.json'), JSON.stringify({ mcpServers }));
  }

  static async start(options: ServedOptions = {}): Promise<Served> {
    const served = new Served(options);
    await served.start();
    return served;
  }

  get url(): string {
    return this.#url;
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error('it was not started');
    return this.#child.pid;
  }

  /** What it wrote to stdout. */
  get said(): string {
    return this.#said;
  }

  /** What it wrote to stderr. */
  get log(): string {
    return this.#log;
  }

  /** Starts it, again on the port it had. */
  async start(): Promise<void> {
    const { model, args = [], env } = this.#options;
    const port = this.#url === '' ? String(await ownPort()) : new URL(this.#url).port;
    const child = spawn(process.execPath, [...NODE, 'serve', '--data-dir', this.dataDir, '--port', port, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...ENV, ...(model === undefined ? {} : { OPENAI_BASE_URL: model, OPENAI_API_KEY: 'k' }), ...env },
    });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#log += text));
    this.#url = await new Promise<string>((resolve, reject) => {
      this.#said = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        this.#said += text;
        const found = /http:\/\/[^\s/]+/.exec(this.#said);
        if (found) resolve(found[0]);
      });
      child.once('exit', (code) => reject(new Error(`the server ended with ${String(code)}:\n${this.#log}`)));
    });
  }

  /** SIGKILL is a power cut, SIGTERM an orderly end. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }

  async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.#url}${path}`);
    return (await response.json()) as T;
  }

  async post<T>(path: string, body: object): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${this.#url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()) as T;
  }

  /** The latest run that is at work, once the first words of its answer are stored. */
  async answering(): Promise<RunRecord> {
    const latest = async () => (await this.get<Page<RunRecord>>('/api/runs?status=running')).items[0];
    const run = await eventually(latest, { what: 'a run' });
    // Not how many events there are: words that come at once are stored as one.
    const left = new AbortController();
    const { body } = await fetch(`${this.#url}/api/runs/${run.id}/events`, { signal: left.signal });
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(bytes, { stream: true });
      if (text.includes('"type":"text_delta"')) break;
    }
    left.abort();
    return run;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // An orderly end would wait for calls under way.
    await this.end('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
