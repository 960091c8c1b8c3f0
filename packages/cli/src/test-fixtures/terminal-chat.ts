import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { COMPILED_ONCE, eventually, processTreeOf, programArgs, utilLinux } from '@toolyard/testing';

export const BIN = fileURLToPath(new URL('../bin.ts', import.meta.url));
export const ENV = {
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  TERM: 'xterm',
  NO_COLOR: '1',
  ...COMPILED_ONCE,
};

export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';

/** `script` of util-linux runs a program on a pseudo-terminal; without it these tests cannot be made. */
export const TERMINAL = utilLinux('terminal', 'script');

/** A chat at a real pseudo-terminal: what is typed goes in, what a person would see comes out. */
export class TerminalChat implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  /** Exit code and signal. */
  readonly ended: Promise<unknown[]>;
  #screen = '';
  #seen = 0;

  constructor(args: readonly string[]) {
    const command = [process.execPath, ...programArgs(BIN), 'chat', ...args].map((word) => `'${word}'`).join(' ');
    this.#child = spawn('script', ['-qefc', `stty cols 120; exec ${command}`, '/dev/null'], { env: ENV });
    this.ended = once(this.#child, 'exit');
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.#screen += text));
    this.#child.stdin.on('error', () => {});
  }

  /** Waits until `text` shows up behind what was seen before, and gives all that came with it. */
  async see(text: string | RegExp): Promise<string> {
    const matches = (): RegExpExecArray | null =>
      (typeof text === 'string' ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : text).exec(
        this.#screen.slice(this.#seen),
      );
    await eventually(() => expect(matches(), `${String(text)} in ${this.#screen}`).not.toBeNull());
    const match = matches();
    const end = this.#seen + (match?.index ?? 0) + (match?.[0].length ?? 0);
    const shown = this.#screen.slice(this.#seen, end);
    this.#seen = end;
    return shown;
  }

  type(text: string): void {
    this.#child.stdin.write(text);
  }

  line(text: string): void {
    this.type(`${text}\r`);
  }

  processes(): number[] {
    return processTreeOf(this.#child.pid ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const left = this.processes();
    this.#child.kill('SIGKILL');
    await this.ended;
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself when its terminal went.
      }
    }
  }
}
