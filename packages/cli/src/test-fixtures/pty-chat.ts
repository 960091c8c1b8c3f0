import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { listProcessTree, utilLinux } from '@toolyard/testing';
import { ScreenReader } from './screen-reader.ts';
import { NODE_ARGS, PROCESS_ENV } from './spawn-command.ts';

/** `script` of util-linux runs a program on a pseudo-terminal. */
export const TERMINAL = utilLinux('terminal', 'script');

/** `toolyard chat` in a process of its own, at a real pseudo-terminal. */
export class PtyChat implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  /** Exit code and signal. */
  readonly ended: Promise<unknown[]>;
  readonly #reader: ScreenReader;
  #screen = '';

  constructor(args: readonly string[]) {
    const command = [process.execPath, ...NODE_ARGS, 'chat', ...args].map((word) => `'${word}'`).join(' ');
    this.#child = spawn('script', ['-qefc', `stty cols 120; exec ${command}`, '/dev/null'], { env: PROCESS_ENV });
    this.ended = once(this.#child, 'exit');
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.#screen += text));
    this.#child.stdin.on('error', () => {});
    this.#reader = new ScreenReader(() => this.#screen);
  }

  /** Waits until `text` is shown after what was seen before, and returns all that came with it. */
  see(text: string | RegExp): Promise<string> {
    return this.#reader.see(text);
  }

  type(text: string): void {
    this.#child.stdin.write(text);
  }

  line(text: string): void {
    this.type(`${text}\r`);
  }

  processes(): number[] {
    return listProcessTree(this.#child.pid ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const processes = this.processes();
    this.#child.kill('SIGKILL');
    await this.ended;
    for (const pid of processes) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It exited when its terminal was closed.
      }
    }
  }
}
