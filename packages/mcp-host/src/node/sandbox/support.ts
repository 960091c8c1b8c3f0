import { say } from '@toolyard/protocol';
import { execFile } from 'node:child_process';
import { findCommand } from '../launch/find-command.ts';
import { readIfThere } from '../system-files.ts';
import type { NoSandbox } from './no-sandbox.ts';
import { explainNoSandbox } from './no-sandbox.ts';

export type SandboxSupport =
  | { kind: 'bubblewrap'; path: string; disablesUserns: boolean }
  | { kind: 'seatbelt'; path: string }
  | NoSandbox;

let known: Promise<SandboxSupport> | undefined;

/**
 * The sandbox of this system; detected once per process.
 *
 * @example
 * const support = await sandboxSupport();
 */
export function sandboxSupport(): Promise<SandboxSupport> {
  known ??= findSupport();
  return known;
}

async function findSupport(): Promise<SandboxSupport> {
  if (process.platform === 'darwin') return { kind: 'seatbelt', path: '/usr/bin/sandbox-exec' };
  if (process.platform !== 'linux') {
    return {
      kind: 'none',
      reason: say`No sandbox is available for ${process.platform}.`,
      hint: say`Use Linux, macOS, WSL 2 or Docker.`,
    };
  }
  const path = findCommand('bwrap', process.env['PATH']);
  if (path === undefined) {
    return {
      kind: 'none',
      reason: say`bubblewrap is not installed.`,
      hint: say`Install the package "bubblewrap" (apt, dnf, pacman, zypper or apk), then restart Toolyard.`,
    };
  }
  // Added in version 0.8.
  for (const disablesUserns of [true, false]) {
    const failure = await tryBubblewrap(path, disablesUserns);
    if (failure === null) return { kind: 'bubblewrap', path, disablesUserns };
    if (disablesUserns && /unknown option/i.test(failure)) continue;
    return explainNoSandbox(failure, readIfThere);
  }
  throw new Error('unreachable');
}

/** Null if it works, else its error output. */
function tryBubblewrap(path: string, disablesUserns: boolean): Promise<string | null> {
  const args = [
    ...['--unshare-user', '--unshare-pid', '--unshare-net', '--cap-drop', 'ALL', '--ro-bind', '/', '/'],
    ...['--proc', '/proc', '--dev', '/dev'],
    ...(disablesUserns ? ['--disable-userns'] : []),
    'true',
  ];
  return new Promise((resolve) => {
    execFile(path, args, { timeout: 10_000 }, (error, _stdout, stderr) => {
      if (error === null) return resolve(null);
      resolve(stderr.trim().split('\n').at(-1)?.slice(0, 300) || error.message.slice(0, 300));
    });
  });
}
