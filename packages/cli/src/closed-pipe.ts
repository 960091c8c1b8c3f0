import type { CommandIo } from './command-io.ts';
import { EXIT } from './exit.ts';

/** Exits silently when the reader of stdout closes the pipe, as `| head` does. For commands that only print. */
export function exitOnClosedPipe(io: CommandIo): void {
  io.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    io.exit(EXIT.done);
  });
}
