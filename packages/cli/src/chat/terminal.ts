import { createInterface } from 'node:readline';
import { StringDecoder } from 'node:string_decoder';
import { styleText } from 'node:util';
import type { CommandIo } from '../command-io.ts';

/** Where a chat reads and writes. */
export type Terminal = {
  io: CommandIo;
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  err: NodeJS.WritableStream;
  /** A person is at the other end of input and output. */
  interactive: boolean;
  /** Output is shown on a screen, so it is streamed and may be dimmed. */
  outputIsScreen: boolean;
  errIsScreen: boolean;
};

export function terminalOf(io: CommandIo): Terminal {
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

/** Dims text for stderr if that is a screen and NO_COLOR is not set. */
export function dim(text: string, { io, errIsScreen }: Terminal): string {
  return errIsScreen && !io.env['NO_COLOR'] ? styleText('dim', text, { validateStream: false }) : text;
}

type Line = { kind: 'line'; text: string } | { kind: 'interrupt' } | { kind: 'end' };

/** Reads one line at a time. */
export type TerminalLineReader = {
  ask(prompt: string, signal?: AbortSignal): Promise<Line>;
  /** Tells what a person types while nothing is asked, line by line, until the function it gives is called. */
  overhear(listener: (text: string) => void): () => void;
  close(): void;
};

export function createTerminalLineReader(terminal: Terminal): TerminalLineReader {
  return terminal.interactive ? keyboardReader(terminal) : pipeReader(terminal);
}

/**
 * An editor for each line, and none between: while an answer streams the terminal is in its normal mode and Ctrl-C is a
 * signal. Whole lines typed then go to who listens, else all that is typed waits for the next prompt.
 */
function keyboardReader({ input, output }: Terminal): TerminalLineReader {
  let history: string[] = [];
  let asking = 0;
  const between = new LinesBetween(input);
  return {
    ask(prompt, signal) {
      if (between.isOver) return Promise.resolve({ kind: 'end' });
      between.pause();
      asking++;
      return new Promise((resolve) => {
        const editor = createInterface({ input, output, terminal: true, history: [...history], historySize: 200 });
        let isOver = false;
        const finish = (line: Line): void => {
          signal?.removeEventListener('abort', stop);
          // Closing tells of the end of input, too: what came first counts.
          resolve(line);
          if (isOver) return;
          isOver = true;
          editor.close();
          asking--;
          if (asking === 0) between.resume();
        };
        const stop = (): void => finish({ kind: 'interrupt' });
        signal?.addEventListener('abort', stop, { once: true });
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
    overhear(listener) {
      between.listener = listener;
      if (asking === 0) between.resume();
      return () => {
        between.listener = null;
        between.pause();
      };
    },
    close() {},
  };
}

/** Lines a terminal in its normal mode gives while nothing is asked. */
class LinesBetween {
  listener: ((text: string) => void) | null = null;
  /** The person has pressed Ctrl-D on an empty line: nothing more will come. */
  isOver = false;
  readonly #input: NodeJS.ReadableStream;
  #decoder = new StringDecoder('utf8');
  #open = '';

  constructor(input: NodeJS.ReadableStream) {
    this.#input = input;
  }

  resume(): void {
    if (this.listener === null || this.isOver || this.#input.listeners('data').includes(this.#take)) return;
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
    this.isOver = true;
  };
}

/** Lines of a pipe or file: read as they come, none lost between two questions. */
function pipeReader({ input }: Terminal): TerminalLineReader {
  const reader = createInterface({ input, crlfDelay: Infinity });
  const lines = reader[Symbol.asyncIterator]();
  return {
    async ask() {
      const next = await lines.next();
      return next.done ? { kind: 'end' } : { kind: 'line', text: next.value };
    },
    // A line of a pipe is a message of its own.
    overhear: () => () => {},
    close: () => reader.close(),
  };
}

/** Everything a pipe holds, as one text. */
export async function readAll(input: NodeJS.ReadableStream): Promise<string> {
  input.setEncoding('utf8');
  let text = '';
  for await (const piece of input) text += String(piece);
  return text;
}
