import { Readable, Writable } from 'node:stream';
import type { CommandIo, StopSignal } from '../command-io.ts';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

/** The keyboard of a terminal: emits lines in cooked mode, keys in raw mode. */
class Keyboard extends Readable {
  readonly isTTY = true;
  isRaw = false;
  #line = '';
  readonly #echo: (text: string) => void;
  readonly #interrupt: () => void;

  constructor(echo: (text: string) => void, interrupt: () => void) {
    super();
    this.#echo = echo;
    this.#interrupt = interrupt;
  }

  override _read(): void {}

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    // The kernel passes an unfinished line to a program that switches to raw mode.
    if (isRaw) this.#flush();
    return this;
  }

  type(text: string): void {
    for (const key of text) {
      if (this.isRaw) this.push(key);
      else this.#edit(key);
    }
  }

  #edit(key: string): void {
    switch (key) {
      case CTRL_C:
        this.#line = '';
        this.#echo('^C');
        return this.#interrupt();
      case CTRL_D:
        // On an empty line a reader gets zero bytes: the end of its input.
        if (this.#line === '') return void this.push(null);
        return this.#flush();
      case '\r':
      case '\n':
        this.#line += '\n';
        this.#echo('\n');
        return this.#flush();
      default:
        this.#line += key;
        this.#echo(key);
    }
  }

  #flush(): void {
    if (this.#line !== '') this.push(this.#line);
    this.#line = '';
  }
}

/** stdout or stderr of a terminal; both write to the same screen. */
class Screen extends Writable {
  readonly isTTY = true;
  readonly columns = 120;
  readonly #show: (text: string) => void;

  constructor(show: (text: string) => void) {
    super({ decodeStrings: false });
    this.#show = show;
  }

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.#show(chunk.toString());
    done();
  }
}

/** A terminal in memory with the line discipline of a real one, and a command's `io` on it. */
export class FakeTerminal {
  readonly stdin: Keyboard;
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** Everything shown so far. */
  shown = '';
  readonly #listeners = new Set<(signal: StopSignal) => void>();

  constructor() {
    const show = (text: string): void => void (this.shown += text.replaceAll('\n', '\r\n'));
    this.stdin = new Keyboard(show, () => this.signal('SIGINT'));
    this.stdout = new Screen(show);
    this.stderr = new Screen(show);
  }

  readonly onSignal: CommandIo['onSignal'] = (listener) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  signal(signal: StopSignal): void {
    for (const listener of [...this.#listeners]) listener(signal);
  }
}
