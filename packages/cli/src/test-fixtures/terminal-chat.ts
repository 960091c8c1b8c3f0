import { expect } from 'vitest';
import { eventually } from '@toolyard/testing';
import { main } from '../main.ts';
import { FakeTerminal } from './fake-terminal.ts';
import { createMemoryIo } from './memory-io.ts';
import { ScreenReader } from './screen-reader.ts';

export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';

/** `toolyard chat` in this process, at a terminal in memory. */
export class TerminalChat implements AsyncDisposable {
  /** The exit code. */
  readonly ended: Promise<number>;
  readonly #terminal = new FakeTerminal();
  readonly #reader = new ScreenReader(() => this.#terminal.shown);
  readonly #returned: Promise<number>;
  #isOver = false;

  constructor(args: readonly string[]) {
    const memory = createMemoryIo();
    const { stdin, stdout, stderr, onSignal } = this.#terminal;
    this.#returned = main(['chat', ...args], { ...memory, stdin, stdout, stderr, onSignal });
    this.ended = Promise.race([this.#returned, memory.exited]);
    void this.#returned.finally(() => (this.#isOver = true));
  }

  /** Waits until `text` is shown after what was seen before, and returns all that came with it. */
  see(text: string | RegExp): Promise<string> {
    return this.#reader.see(text);
  }

  type(text: string): void {
    this.#terminal.stdin.type(text);
  }

  line(text: string): void {
    this.type(`${text}\r`);
  }

  /** Presses Ctrl-C until the command has returned. */
  async [Symbol.asyncDispose](): Promise<void> {
    await eventually(
      () => {
        // The first one cancels an answer or prompt, the next ones exit.
        if (!this.#isOver) this.type(CTRL_C);
        return this.#isOver;
      },
      { what: 'the end of the chat', everyMs: 20 },
    );
    expect(await this.#returned).toBeTypeOf('number');
  }
}
