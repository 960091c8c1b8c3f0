import { createInterface } from 'node:readline';
import { StringDecoder } from 'node:string_decoder';
import { styleText } from 'node:util';
import type { CommandIo } from '../command-io.ts';

/** Input and output of a chat. */
export type Terminal = {
  io: CommandIo;
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  err: NodeJS.WritableStream;
  /** Input and output are a terminal. */
  interactive: boolean;
  /** Output is a terminal: text is streamed. */
  outputIsScreen: boolean;
  errIsScreen: boolean;
};

export function createTerminal(io: CommandIo): Terminal {
  const { stdin, stdout, stderr } = io;
  return {
    io,
    input: stdin,
    output: stdout,
    err: stderr,
    interactive: stdin.isTTY === true && stdout.isTTY === true,
    outputIsScreen: stdout.isTTY === true,
    errIsScreen: stderr.isTTY === true,
  };
}

/** Dims text for stderr if it is a terminal and NO_COLOR is not set. */
export function dim(text: string, { io, errIsScreen }: Terminal): string {
  return errIsScreen && !io.env['NO_COLOR'] ? styleText('dim', text, { validateStream: false }) : text;
}

type Line = { kind: 'line'; text: string } | { kind: 'interrupt' } | { kind: 'end' };

/** Reads one line at a time. */
export type TerminalLineReader = {
  ask(prompt: string, signal?: AbortSignal): Promise<Line>;
  /** Calls `listener` with each line entered between prompts, until the returned function is called. */
  onLine(listener: (text: string) => void): () => void;
  close(): void;
};

export function createTerminalLineReader(terminal: Terminal): TerminalLineReader {
  return terminal.interactive ? keyboardReader(terminal) : pipeReader(terminal);
}

/**
 * Uses a line editor for each prompt only: while an answer streams, the terminal is in cooked mode and Ctrl-C is a signal.
 * Lines entered then go to the listener; without one they wait for the next prompt.
 */
function keyboardReader({ input, output }: Terminal): TerminalLineReader {
  let history: string[] = [];
  let prompts = 0;
  const background = new InputBetweenPrompts(input);
  return {
    ask(prompt, signal) {
      if (background.hasEnded) return Promise.resolve({ kind: 'end' });
      background.pause();
      prompts++;
      return new Promise((resolve) => {
        const editor = createInterface({ input, output, terminal: true, history: [...history], historySize: 200 });
        let hasEnded = false;
        const finish = (line: Line): void => {
          signal?.removeEventListener('abort', cancel);
          // Closing the editor also emits "close"; the first result wins.
          resolve(line);
          if (hasEnded) return;
          hasEnded = true;
          editor.close();
          prompts--;
          if (prompts === 0) background.resume();
        };
        const cancel = (): void => finish({ kind: 'interrupt' });
        signal?.addEventListener('abort', cancel, { once: true });
        editor.on('history', (entries) => (history = entries));
        editor.on('line', (text) => finish({ kind: 'line', text }));
        editor.on('SIGINT', () => {
          output.write('\n');
          finish({ kind: 'interrupt' });
        });
        editor.on('close', () => finish({ kind: 'end' }));
        editor.setPrompt(prompt);
        editor.prompt();
      });
    },
    onLine(listener) {
      background.listener = listener;
      if (prompts === 0) background.resume();
      return () => {
        background.listener = null;
        background.pause();
      };
    },
    close() {},
  };
}

/** Lines entered between prompts, while the terminal is in cooked mode. */
class InputBetweenPrompts {
  listener: ((text: string) => void) | null = null;
  /** The input has ended: Ctrl-D on an empty line. */
  hasEnded = false;
  readonly #input: NodeJS.ReadableStream;
  #decoder = new StringDecoder('utf8');
  #open = '';

  constructor(input: NodeJS.ReadableStream) {
    this.#input = input;
  }

  resume(): void {
    if (this.listener === null || this.hasEnded || this.#input.listeners('data').includes(this.#take)) return;
    this.#input.on('data', this.#take);
    this.#input.once('end', this.#end);
    this.#input.resume();
  }

  pause(): void {
    if (!this.#input.listeners('data').includes(this.#take)) return;
    this.#input.off('data', this.#take);
    this.#input.off('end', this.#end);
    this.#input.pause();
  }

  readonly #take = (bytes: Buffer | string): void => {
    const lines = (this.#open + (typeof bytes === 'string' ? bytes : this.#decoder.write(bytes))).split('\n');
    this.#open = lines.pop() ?? '';
    for (const line of lines) this.listener?.(line.replace(/\r$/, ''));
  };

  readonly #end = (): void => {
    this.hasEnded = true;
  };
}

/** Reads lines of a pipe or file. The iterator buffers lines between prompts. */
function pipeReader({ input }: Terminal): TerminalLineReader {
  const reader = createInterface({ input, crlfDelay: Infinity });
  const lines = reader[Symbol.asyncIterator]();
  return {
    async ask() {
      const next = await lines.next();
      return next.done ? { kind: 'end' } : { kind: 'line', text: next.value };
    },
    // Each line of a pipe is a separate message, not steering.
    onLine: () => () => {},
    close: () => reader.close(),
  };
}

/** Reads the whole input as text. */
export async function readAll(input: NodeJS.ReadableStream): Promise<string> {
  input.setEncoding('utf8');
  let text = '';
  for await (const chunk of input) text += String(chunk);
  return text;
}
