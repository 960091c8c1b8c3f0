import type { ChildProcess } from 'node:child_process';
import { Writable } from 'node:stream';
import { defined } from '@toolyard/protocol';
import spawn from 'cross-spawn';
import { MARKER_VARIABLE } from './child-marker.ts';
import { withoutInherited } from './open-descriptors.ts';
import { SECCOMP_FD } from './sandbox/bubblewrap.ts';
import type { StdioCommand } from './stdio-command.ts';

/**
 * Starts a command in a process group of its own, with pipes.
 *
 * @throws Error for a command line that the system rejects at once: too long, or with a NUL character
 */
export function spawnCommand(
  { command, args, env, cwd, filter }: StdioCommand,
  marker: string | undefined,
): ChildProcess {
  const { stdio, done } = withoutInherited([
    'pipe',
    'pipe',
    'pipe',
    ...(filter === undefined ? [] : ['pipe' as const]),
  ]);
  try {
    const child = spawn(command, [...args], {
      env: { ...env, ...defined({ [MARKER_VARIABLE]: marker }) },
      stdio,
      detached: process.platform !== 'win32',
      windowsHide: true,
      ...defined({ cwd }),
    });
    if (filter !== undefined) endWith(child.stdio[SECCOMP_FD], filter);
    return child;
  } finally {
    done();
  }
}

function endWith(pipe: unknown, bytes: Buffer): void {
  if (!(pipe instanceof Writable)) return;
  // The process may exit before it reads this, which is reported as its exit.
  pipe.on('error', () => undefined);
  pipe.end(bytes);
}
