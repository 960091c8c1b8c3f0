import { spawnSync } from 'node:child_process';
import type { TestOptions } from 'vitest';

/** What a test may need and a machine may lack. */
const NEED_NAMES = [
  'postgres',
  'pg_dump',
  'browser',
  'terminal',
  'prlimit',
  'unprivileged-user',
  'unix',
  'provider-sdk',
  'sandbox',
  'sealed-corpus',
] as const;

export type Need = {
  readonly name: (typeof NEED_NAMES)[number];
  /** One line that says what is missing and what to do; null if nothing is. */
  readonly missing: string | null;
};

declare module 'vitest' {
  interface TaskMeta {
    /** The reason why the test is skipped, which is printed after the run. */
    missing?: { need: string; reason: string };
  }
}

/**
 * Options of a test or suite: it is skipped if something it needs is missing, and the report gives the reason.
 *
 * @throws Error if the missing need is one of those in `TOOLYARD_REQUIRED`
 *
 * @example
 * test('keeps the mode of the file', needs(UNIX), () => {});
 */
export function needs(...all: readonly Need[]): TestOptions {
  const required = requiredNeeds();
  for (const { name, missing } of all) {
    if (missing !== null && required.includes(name)) throw new Error(`TOOLYARD_REQUIRED names ${name}: ${missing}`);
    if (missing !== null) return { skip: true, meta: { missing: { need: name, reason: missing } } };
  }
  return {};
}

/** The names in `TOOLYARD_REQUIRED`, separated by spaces. */
function requiredNeeds(): string[] {
  const names = (process.env['TOOLYARD_REQUIRED'] ?? '').split(/[\s,]+/).filter(Boolean);
  const unknown = names.find((name) => !NEED_NAMES.some((known) => known === name));
  if (unknown !== undefined)
    throw new Error(`TOOLYARD_REQUIRED: unknown need "${unknown}". Use ${NEED_NAMES.join(', ')}.`);
  return names;
}

export const UNIX: Need = {
  name: 'unix',
  missing: process.platform === 'win32' ? 'signals, links and file modes of Unix do not exist on Windows' : null,
};

export const UNPRIVILEGED_USER: Need = {
  name: 'unprivileged-user',
  missing: process.geteuid?.() === 0 ? 'root can write everywhere: run the tests as another user' : null,
};

/** A program of util-linux: `script` runs a program on a pseudo-terminal, `prlimit` limits the size of files. */
export function utilLinux(name: Need['name'], program: string): Need {
  if (process.platform !== 'linux') return { name, missing: `"${program}" of util-linux runs on Linux only` };
  // The programs of the same name in BusyBox and BSD have other options.
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  const found = typeof stdout === 'string' && stdout.includes('util-linux');
  return { name, missing: found ? null : `"${program}" of util-linux is not in PATH: install util-linux` };
}

/** bubblewrap, in which stdio servers run on Linux. */
export const SANDBOX: Need = { name: 'sandbox', missing: missingSandbox() };

function missingSandbox(): string | null {
  if (process.platform !== 'linux') return 'sandboxes are tested with bubblewrap, which runs on Linux only';
  const args = ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', 'true'];
  const { status, error, stderr } = spawnSync('bwrap', args, { encoding: 'utf8' });
  if (error !== undefined) return 'bubblewrap is not installed: install the package "bubblewrap"';
  return status === 0 ? null : `bubblewrap does not work here: ${stderr.trim().slice(0, 200)}`;
}
