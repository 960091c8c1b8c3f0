import { spawn } from 'node:child_process';
import { join, relative } from 'node:path';
import { findProcess, listProcesses } from './process-table.ts';
import { registerProcess } from './started-processes.ts';
import { RUN_VARIABLE, sharedTmp } from './test-run.ts';

/**
 * The condition under which the packages of the workspace run from their sources; goes before the file for `runNode`.
 */
export const SOURCE_CONDITION = '--conditions=toolyard-src';

/** Names the folder with the programs bundled before the tests, see `scripts/programs.ts`. */
export const PROGRAMS_VARIABLE = 'TOOLYARD_TEST_PROGRAMS';

/**
 * V8 options for a program that runs for a second while all cores are busy: a young generation that does not have to
 * grow, and no GC threads. They save a seventh of the CPU time of a start.
 */
const SHORT_LIVED = ['--min-semi-space-size=8', '--single-threaded-gc'];

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * The Node arguments that run a program of the repository, given by its source file: the bundle built before the tests,
 * or the source. Arguments of the program follow them.
 */
export function programArgs(source: string): string[] {
  return [SOURCE_CONDITION, ...SHORT_LIVED, programPath(source)];
}

/** The file to load for a source file: the bundle built before the tests, or the source. */
export function programPath(source: string): string {
  const folder = process.env[PROGRAMS_VARIABLE];
  return folder === undefined ? source : join(folder, relative(ROOT, source).replace(/\.ts$/, '.js'));
}

/**
 * Scripted models answer one request after the other: a server under test makes none for a title. Tests of titles set
 * the variable to `on`.
 */
export const NO_TITLES = { TOOLYARD_TITLES: 'off' } as const;

/**
 * Environment of a program that is started often: it uses a compile cache and carries the marker of the test run. The
 * cache is next to the bundled programs, which are deleted when newer ones replace them.
 */
export const COMPILED_ONCE: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: join(process.env[PROGRAMS_VARIABLE] ?? sharedTmp(), 'toolyard-compile-cache'),
  ...markOfRun(),
  ...NO_TITLES,
};

function markOfRun(): Record<string, string> {
  const folder = process.env[RUN_VARIABLE];
  return folder === undefined ? {} : { [RUN_VARIABLE]: folder };
}

export type RunNodeOptions = {
  /** Written to stdin, which then ends. */
  input?: string | Uint8Array;
  /** Added to this process's environment; undefined removes a variable. */
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string;
  /** Called with all of stderr so far, whenever there is more. */
  onError?: (stderr: string) => void;
  /** The process and its descendants are killed after this time; default: one minute. */
  timeoutMs?: number;
};

export type RunNodeResult = {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  timedOut: boolean;
};

/**
 * Runs this Node with `args` and waits for its exit. Never rejects for a failure of the program: check `code`.
 *
 * @example
 * const { code, stdout } = await runNode([...programArgs(BIN), '--help']);
 */
export async function runNode(args: readonly string[], options: RunNodeOptions = {}): Promise<RunNodeResult> {
  const child = spawn(process.execPath, args, {
    env: { ...COMPILED_ONCE, ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: 'pipe',
  });
  registerProcess(child, 'runNode');
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text));
  }
  child.stderr.on('data', () => options.onError?.(output.stderr));
  // A program that exits without reading its input is not a failure.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input);

  let timedOut = false;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      timedOut = true;
      killTree(child.pid);
    }, options.timeoutMs ?? 60_000);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, ...output, timedOut });
    });
  });
}

/** Whether a process is running. False for a zombie. */
export function isAlive(pid: number): boolean {
  if (process.platform !== 'win32') return isRunning(findProcess(pid));
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether SIGSTOP has taken effect on a process. Linux and other Unixes only. */
export function isStopped(pid: number): boolean {
  return findProcess(pid)?.state === 'T';
}

/**
 * A process and all its living descendants, parents first; empty if it is not running. A grandchild whose parent has
 * exited no longer belongs to the tree, so call this before killing anything. Linux and other Unixes only.
 */
export function listProcessTree(pid: number): number[] {
  const all = listProcesses().filter(isRunning);
  if (!all.some((entry) => entry.pid === pid)) return [];
  const tree = [pid];
  for (const parent of tree) {
    for (const entry of all) if (entry.parent === parent) tree.push(entry.pid);
  }
  return tree;
}

function isRunning(entry: { state: string } | undefined): boolean {
  return entry !== undefined && !'ZX'.includes(entry.state);
}

function killTree(pid: number | undefined): void {
  if (pid === undefined) return;
  const tree = process.platform === 'win32' ? [pid] : listProcessTree(pid);
  for (const member of tree) {
    try {
      process.kill(member, 'SIGKILL');
    } catch {
      // It ended by itself in the meantime.
    }
  }
}
