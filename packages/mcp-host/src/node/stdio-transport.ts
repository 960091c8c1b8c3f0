import type { ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { McpIsolation } from '@toolyard/protocol';
import { defined, isJsonObject, parseJson } from '@toolyard/protocol';
import type { ResourceLimits } from '../host/resource-limits.ts';
import { explainLimit } from '../host/resource-limits.ts';
import { messagesIn } from '../transports/received-messages.ts';
import type { HostTransport, TransportContext, TransportEnd } from '../transports/transport.ts';
import type { TransportConfig } from '../types.ts';
import { childExit } from './child-exit.ts';
import { newMarker } from './child-marker.ts';
import { LineReader, readPaced } from './line-reader.ts';
import { ProcessGroup } from './process-group.ts';
import { findFileLimit, ResourceWatch } from './sandbox/resource-watch.ts';
import type { SandboxOptions } from './sandbox/sandboxed-command.ts';
import type { StdioCommand } from './stdio-command.ts';
import { spawnCommand } from './spawn-command.ts';
import { stdioCommand } from './stdio-command.ts';

/** The longest message a server may send, in bytes. */
const MAX_LINE_LENGTH = 64 * 1_024 * 1_024;
const MAX_STDERR_LINE = 64 * 1_024;
/** How many last lines of stderr are kept to explain an exit. */
const STDERR_LINES_KEPT = 10;
const MAX_KEPT_LINE = 500;
/** Package managers announce their own new versions on stderr, which explains no exit. */
const UPDATE_NOTICE = /^(npm notice\b|\[notice\] (A new release of pip|To update, run)|WARN\s+Update available!)/i;

type StdioConfig = Extract<TransportConfig, { type: 'stdio' }>;

/**
 * An MCP server as a child process, over its standard input and output. It gets a minimal environment (see {@link
 * childEnvironment}, and what the configuration adds), its own process group, and is terminated with all its
 * descendants, also if it exits on its own and leaves some behind.
 *
 * @example
 * const createTransport: CreateTransport = (config, context) =>
 *   config.type === 'stdio' ? createStdioTransport(config, context) : webTransports(config, context);
 */
export function createStdioTransport(
  config: StdioConfig,
  context: TransportContext,
  options: StdioOptions = {},
): HostTransport {
  return new StdioTransport(config, context, options);
}

export type StdioOptions = { longestLineBytes?: number; sandbox?: SandboxOptions };

class StdioTransport implements HostTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  end: TransportEnd | undefined;
  noiseLines = 0;

  readonly #config: StdioConfig;
  readonly #context: TransportContext;
  readonly #longestLine: number;
  readonly #sandbox: SandboxOptions;
  onblocked?: (() => void) | undefined;
  #command: StdioCommand | undefined;
  #child: ChildProcess | undefined;
  #group: ProcessGroup | undefined;
  #lastStderr: string[] = [];
  #endWatch = (): void => undefined;
  #closing: Promise<void> | undefined;
  #isOver = false;

  constructor(config: StdioConfig, context: TransportContext, { longestLineBytes, sandbox = {} }: StdioOptions) {
    this.#config = config;
    this.#context = context;
    this.#longestLine = longestLineBytes ?? MAX_LINE_LENGTH;
    this.#sandbox = sandbox;
  }

  /** With `stderr`, the member by which the SDK recognizes a child process. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  get stderr(): null {
    return null;
  }

  get isolation(): McpIsolation | undefined {
    return this.#command?.isolation();
  }

  async start(): Promise<void> {
    const options = { ...this.#sandbox, onBlocked: () => this.onblocked?.() };
    this.#command = await stdioCommand(this.#config, this.#context, options);
    if (this.#closing !== undefined) {
      await this.#command.end();
      throw new Error('The transport was closed before it started.');
    }
    const marker = newMarker();
    const child = this.#spawn(this.#command, marker);
    this.#child = child;
    const { clock } = this.#context;
    if (child.pid !== undefined) this.#group = new ProcessGroup(child, child.pid, { clock, marker });
    this.#listen(child);
    this.#watch(child.pid, this.#command.limits);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        if (this.#group === undefined) this.end = notStarted(this.#config, error);
        reject(error);
      });
    });
  }

  get lastStderr(): readonly string[] {
    return this.#lastStderr;
  }

  #spawn(command: StdioCommand, marker: string | undefined): ChildProcess {
    try {
      return spawnCommand(command, marker);
    } catch (error) {
      // Some rejections of the system are thrown instead of emitted: a command line that is too long, or a NUL byte in
      // it.
      this.end = notStarted(this.#config, error instanceof Error ? error : new Error('cannot be started'));
      throw error;
    }
  }

  /** A server over its limit is killed at once: it may be about to take the machine with it. */
  #watch(pid: number | undefined, limits: ResourceLimits | undefined): void {
    if (pid === undefined || limits === undefined) return;
    const { clock } = this.#context;
    this.#endWatch = ResourceWatch.start({
      ...{ pid, limits, clock },
      onOver: (over) => {
        this.#context.log('error', `The server ${explainLimit(over).text} and was stopped.`);
        this.#group?.killNow();
        this.#finish({ kind: 'over_limit', ...over });
      },
      onSlowed: () =>
        this.#context.log(
          'warning',
          `The server used more than ${limits.cpuCores} processor cores for five minutes; its processes have the lowest priority now.`,
        ),
    });
  }

  #listen(child: ChildProcess): void {
    const stdout = new LineReader(this.#longestLine);
    const { clock } = this.#context;
    const split = (chunk: Buffer): string[] => {
      if (this.#isOver) return [];
      const lines = stdout.push(chunk);
      if (lines === null) this.#finish({ kind: 'line_too_long', limitBytes: this.#longestLine });
      return lines ?? [];
    };
    if (child.stdout) readPaced(child.stdout, split, (line) => this.#read(line), clock);
    const stderr = new LineReader(MAX_STDERR_LINE);
    const listen = (line: string): void => this.#listenStderr(line);
    if (child.stderr) readPaced(child.stderr, (chunk) => stderr.push(chunk) ?? [stderr.rest()], listen, clock);
    child.stderr?.on('end', () => listen(stderr.rest()));
    // A broken pipe is another sign of the exit; without listeners it would crash this process.
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.on('error', () => undefined);

    void childExit(child, clock).then(({ code, signal }) => {
      const over = findFileLimit({ code, signal }, this.#command?.limits);
      if (over === undefined) this.#finish({ kind: 'exited', code, signal, stderr: [...this.#lastStderr] });
      else this.#finish({ kind: 'over_limit', ...over });
    });
  }

  #read(line: string): void {
    if (this.#isOver || line.trim() === '') return;
    const parsed = parseJson(line);
    for (const message of messagesIn(parsed.ok ? parsed.value : undefined)) {
      if (isJsonRpc(message)) this.onmessage?.(message);
      else this.#countNoise();
    }
  }

  #countNoise(): void {
    this.noiseLines++;
    if (this.noiseLines > 1) return;
    this.#context.log(
      'warning',
      'The server prints lines to standard output that are not MCP messages; Toolyard skips them.',
    );
  }

  #listenStderr(raw: string): void {
    const line = withoutControls(raw).trimEnd();
    if (line === '') return;
    if (!UPDATE_NOTICE.test(line)) {
      this.#lastStderr.push(line.slice(0, MAX_KEPT_LINE));
      if (this.#lastStderr.length > STDERR_LINES_KEPT) this.#lastStderr.shift();
    }
    this.#context.log('info', line, 'server');
    this.#command?.readLine(line);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (this.#isOver || this.#closing !== undefined || stdin == null || !stdin.writable) {
      throw new SdkError(SdkErrorCode.NotConnected, 'Not connected');
    }
    if (stdin.write(`${JSON.stringify(message)}\n`)) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stdin.off('drain', done);
        stdin.off('close', done);
        resolve();
      };
      stdin.on('drain', done);
      stdin.on('close', done);
    });
  }

  /** Terminates the server and its descendants; resolves when none is left. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // An exit from now on was requested by us.
    const announce = !this.#isOver;
    this.#isOver = true;
    this.#endWatch();
    await this.#group?.end();
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
    this.#child?.stdin?.destroy();
    await this.#command?.end();
    if (announce) this.onclose?.();
  }

  /** The server has exited or must be killed: reports it once, and cleans up. */
  #finish(end: TransportEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.end = end;
    this.onclose?.();
    void this.close();
  }
}

function notStarted(config: StdioConfig, error: Error): TransportEnd {
  const { command, cwd } = config;
  const code = 'code' in error ? String(error.code) : error.name;
  const base = { kind: 'not_started' as const, command, detail: code, ...defined({ cwd }) };
  // The system reports ENOENT for a missing folder too.
  if (cwd !== undefined && !isFolder(cwd)) return { ...base, reason: 'no_such_folder' };
  if (code === 'ENOENT') return { ...base, reason: 'command_not_found' };
  if (code === 'EACCES') return { ...base, reason: 'not_executable' };
  return { ...base, reason: 'other' };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isJsonRpc(value: unknown): value is JSONRPCMessage {
  return (
    isJsonObject(value) && value['jsonrpc'] === '2.0' && ('method' in value || 'result' in value || 'error' in value)
  );
}

function withoutControls(text: string): string {
  return stripVTControlCharacters(text).replace(/[^\P{Cc}\t]/gu, '');
}
