import { spawn } from 'node:child_process';
import type { CommandIo } from '../command-io.ts';

/** Opens a URL in the user's browser, without waiting. Prints a note on stderr if there is no browser. */
export function openInBrowser(io: Pick<CommandIo, 'stderr'>, url: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '""', url]
        : ['xdg-open', url];
  const child = spawn(command ?? '', args, { stdio: 'ignore', detached: true });
  child.on('error', () => io.stderr.write('toolyard: cannot open a browser; open the printed link yourself.\n'));
  child.unref();
}
