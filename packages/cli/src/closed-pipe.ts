import type { CommandIo } from './command-io.ts';
import { EXIT } from './exit.ts';

/** Ends the command silently once nobody reads its output, as behind `| head`. For commands that only print. */
export function exitOnClosedPipe(io: CommandIo): void {
  io.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    io.exit(EXIT.done);
  });
}
