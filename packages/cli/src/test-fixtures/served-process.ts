import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ownPort, scriptedMcpCommand } from '@toolyard/testing';
import { NODE_ARGS, PROCESS_ENV } from './spawn-command.ts';
import type { ServedOptions } from './served-api.ts';
import { ServedApi } from './served-api.ts';

/** A `toolyard serve` in a process of its own with MCP servers over stdio, for tests that kill it or look at processes. */
export class ServedProcess extends ServedApi {
  #child: ChildProcess | undefined;
  #url = '';
  #log = '';
  #stdout = '';

  static async start(options: ServedOptions = {}): Promise<ServedProcess> {
    const mcp = Object.entries(options.mcp ?? {}).map(([name, behaviour]) => [name, scriptedMcpCommand(behaviour)]);
    const served = new ServedProcess(options, Object.fromEntries(mcp) as Record<string, object>);
    await served.start();
    return served;
  }

  get url(): string {
    return this.#url;
  }

  get log(): string {
    return this.#log;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error('the server was not started');
    return this.#child.pid;
  }

  /** Starts the server; a restart uses the same port. */
  async start(): Promise<void> {
    const port = this.#url === '' ? String(await ownPort()) : new URL(this.#url).port;
    const args = [...NODE_ARGS, 'serve', '--data-dir', this.dataDir, '--port', port, '--no-token', ...this.args];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...PROCESS_ENV, ...this.env },
    });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#log += text));
    this.#url = await new Promise<string>((resolve, reject) => {
      this.#stdout = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        this.#stdout += text;
        const found = /http:\/\/[^\s/]+/.exec(this.#stdout);
        if (found) resolve(found[0]);
      });
      child.once('exit', (code) => reject(new Error(`the server ended with ${String(code)}:\n${this.#log}`)));
    });
  }

  /** Stops the server. Resolves with its exit code and signal. */
  async end(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<[code: number | null, signal: string | null]> {
    const child = this.#child;
    if (!child) return [null, null];
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill(signal);
      await exit;
    }
    return [child.exitCode, child.signalCode];
  }

  protected override async close(): Promise<void> {
    // A clean shutdown would wait for calls in progress.
    await this.end('SIGKILL');
  }
}
