import type { ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { McpIsolation } from '@toolyard/protocol';
import { defined, isJsonObject, parseJson } from '@toolyard/protocol';
import spawn from 'cross-spawn';
import type { HostTransport, TransportContext, TransportEnd } from '../transports/transport.ts';
import type { TransportConfig } from '../types.ts';
import { MARKER_VARIABLE, newMarker } from './child-marker.ts';
import { LineReader } from './line-reader.ts';
import { ProcessGroup } from './process-group.ts';
import { SECCOMP_FD } from './sandbox/bubblewrap.ts';
import type { SandboxOptions } from './sandbox/sandboxed-command.ts';
import type { StdioCommand } from './stdio-command.ts';
import { stdioCommand } from './stdio-command.ts';

/** The longest message a server may send, in bytes. */
const LONGEST_LINE = 64 * 1_024 * 1_024;
const LONGEST_STDERR_LINE = 64 * 1_024;
/** Last lines of stderr kept for the account of an exit. */
const LAST_WORDS = 10;
const LONGEST_LAST_WORD = 500;
/** Package managers announce new versions of themselves on stderr; that explains no exit. */
const UPDATE_NOTICE = /^(npm notice\b|\[notice\] (A new release of pip|To update, run)|WARN\s+Update available!)/i;
/** How long the pipes may stay open after the child itself has exited, in milliseconds. */
const DRAIN_MS = 500;

type StdioConfig = Extract<TransportConfig, { type: 'stdio' }>;

/**
 * An MCP server as a child process, spoken to over its standard input and output. It gets a minimal environment (see
 * {@link childEnvironment}, and what the configuration names), a process group of its own, and is ended with all its
 * descendants, also if it exits on its own and leaves some behind.
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
  #lastWords: string[] = [];
  #closing: Promise<void> | undefined;
  #isOver = false;

  constructor(config: StdioConfig, context: TransportContext, { longestLineBytes, sandbox = {} }: StdioOptions) {
    this.#config = config;
    this.#context = context;
    this.#longestLine = longestLineBytes ?? LONGEST_LINE;
    this.#sandbox = sandbox;
  }

  /** With `stderr`, the mark by which the SDK tells a child process from a remote server. */
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
      throw new Error('It was closed before it started.');
    }
    const marker = newMarker();
    const child = this.#spawn(this.#command, marker);
    this.#child = child;
    const { clock } = this.#context;
    if (child.pid !== undefined) this.#group = new ProcessGroup(child, child.pid, { clock, marker });
    this.#listen(child);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        if (this.#group === undefined) this.end = notStarted(this.#config, error);
        reject(error);
      });
    });
  }

  get lastStderr(): readonly string[] {
    return this.#lastWords;
  }

  #spawn({ command, args, env, cwd, filter }: StdioCommand, marker: string | undefined): ChildProcess {
    try {
      const child = spawn(command, [...args], {
        env: { ...env, ...defined({ [MARKER_VARIABLE]: marker }) },
        stdio: ['pipe', 'pipe', 'pipe', ...(filter === undefined ? [] : ['pipe' as const])],
        detached: process.platform !== 'win32',
        windowsHide: true,
        ...defined({ cwd }),
      });
      if (filter !== undefined) endWith(child.stdio[SECCOMP_FD], filter);
      return child;
    } catch (error) {
      // Some refusals of the system are thrown and not emitted: too long a command line, a NUL byte in it.
      this.end = notStarted(this.#config, error instanceof Error ? error : new Error('cannot be started'));
      throw error;
    }
  }

  #listen(child: ChildProcess): void {
    const stdout = new LineReader(this.#longestLine);
    child.stdout?.on('data', (chunk: Buffer) => {
      if (this.#isOver) return;
      const lines = stdout.push(chunk);
      if (lines === null) {
        this.#over({ kind: 'line_too_long', limitBytes: this.#longestLine });
        return;
      }
      for (const line of lines) this.#read(line);
    });
    const stderr = new LineReader(LONGEST_STDERR_LINE);
    child.stderr?.on('data', (chunk: Buffer) => {
      const lines = stderr.push(chunk);
      for (const line of lines ?? [stderr.rest()]) this.#hear(line);
    });
    child.stderr?.on('end', () => this.#hear(stderr.rest()));
    // A pipe that breaks is the exit seen from another side; without listeners it would end this process.
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.on('error', () => undefined);

    child.once('exit', (code, signal) => {
      // What the child wrote may still be in the pipes; but a descendant that holds them open is not waited for.
      let callOff = (): void => undefined;
      const settle = (): void => {
        callOff();
        child.off('close', settle);
        this.#over({ kind: 'exited', code, signal, stderr: [...this.#lastWords] });
      };
      callOff = this.#context.clock.after(DRAIN_MS, settle);
      child.once('close', settle);
    });
  }

  #read(line: string): void {
    if (line.trim() === '') return;
    const parsed = parseJson(line);
    const messages = parsed.ok && Array.isArray(parsed.value) ? parsed.value : [parsed.ok ? parsed.value : undefined];
    for (const message of messages) {
      if (isJsonRpc(message)) this.onmessage?.(message);
      else this.#countNoise();
    }
  }

  #countNoise(): void {
    this.noiseLines++;
    if (this.noiseLines > 1) return;
    this.#context.log('warning', 'The server prints lines to its standard output that are no MCP; they are skipped.');
  }

  #hear(raw: string): void {
    const line = withoutControls(raw).trimEnd();
    if (line === '') return;
    if (!UPDATE_NOTICE.test(line)) {
      this.#lastWords.push(line.slice(0, LONGEST_LAST_WORD));
      if (this.#lastWords.length > LAST_WORDS) this.#lastWords.shift();
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

  /** Ends the server and all its descendants; resolves when none is left. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // Whatever happens from here on was asked for and is not the server's end to explain.
    const announce = !this.#isOver;
    this.#isOver = true;
    await this.#group?.end();
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
    this.#child?.stdin?.destroy();
    await this.#command?.end();
    if (announce) this.onclose?.();
  }

  /** The server is gone or must go; says so once, and clears up behind it. */
  #over(end: TransportEnd): void {
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
  // The system says ENOENT for a missing folder too.
  if (cwd !== undefined && !isFolder(cwd)) return { ...base, reason: 'no_such_folder' };
  if (code === 'ENOENT') return { ...base, reason: 'command_not_found' };
  if (code === 'EACCES') return { ...base, reason: 'not_executable' };
  return { ...base, reason: 'other' };
}

function endWith(pipe: unknown, bytes: Buffer): void {
  if (!(pipe instanceof Writable)) return;
  // The process may exit before it reads this; that is reported as its exit.
  pipe.on('error', () => undefined);
  pipe.end(bytes);
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
