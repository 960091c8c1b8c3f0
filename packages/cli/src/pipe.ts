import { EXIT } from './exit.ts';

/** Ends the command without a word once nobody reads what it prints, as behind `| head`. For commands that only tell. */
export function endWithItsReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(EXIT.done);
  });
}
