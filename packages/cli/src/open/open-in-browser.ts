import { spawn } from 'node:child_process';
import type { CommandIo } from '../command-io.ts';

/** Opens a URL in the user's browser. Does not wait for it; says so on stderr if there is none. */
export function openInBrowser(io: Pick<CommandIo, 'stderr'>, url: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '""', url]
        : ['xdg-open', url];
  const child = spawn(command ?? '', args, { stdio: 'ignore', detached: true });
  child.on('error', () => io.stderr.write('toolyard: no browser could be opened; open the printed link in one.\n'));
  child.unref();
}
