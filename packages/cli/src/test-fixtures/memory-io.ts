import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { NO_TITLES } from '@toolyard/testing';
import type { CommandIo, StopSignal } from '../command-io.ts';

/** A home folder for tests, without the developer's configuration. */
const HOME = mkdtempSync(join(tmpdir(), 'toolyard-home-'));
process.once('exit', () => rmSync(HOME, { recursive: true, force: true }));

/** The environment of commands in tests, before what a test adds. */
export const COMMAND_ENV: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  HOME,
  TERM: 'xterm',
  NO_COLOR: '1',
  NO_PROXY: '*',
  ...NO_TITLES,
};

/** A stream that keeps what is written to it. */
class CapturedOutput extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(Buffer.from(chunk));
    this.emit('captured');
    done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

export type MemoryIoOptions = {
  /** Added to {@link COMMAND_ENV}; undefined removes a variable. */
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string;
};

/** A `CommandIo` of streams in memory, as of a command between two pipes. */
export type MemoryIo = CommandIo & {
  stdin: PassThrough;
  stdout: CapturedOutput;
  stderr: CapturedOutput;
  /** Delivers a signal to the command. */
  signal(signal: StopSignal): void;
  /** Resolves with the code if the command exits without returning. */
  readonly exited: Promise<number>;
};

export function createMemoryIo({ env = {}, cwd = process.cwd() }: MemoryIoOptions = {}): MemoryIo {
  const signals = new EventEmitter();
  const { promise: exited, resolve: exit } = Promise.withResolvers<number>();
  return {
    stdin: new PassThrough(),
    stdout: new CapturedOutput(),
    stderr: new CapturedOutput(),
    env: { ...COMMAND_ENV, ...env },
    cwd,
    onSignal(listener) {
      signals.on('signal', listener);
      return () => void signals.off('signal', listener);
    },
    // Other commands in this process have children, too; each command stops its own when it returns.
    onExit: () => {},
    exit,
    signal: (signal) => void signals.emit('signal', signal),
    exited,
  };
}
