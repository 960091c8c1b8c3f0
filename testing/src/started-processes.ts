import type { ChildProcess } from 'node:child_process';
import { findProcess } from './process-table.ts';

/** How many exited processes are still described; running ones always are. */
const KEPT_EXITED = 12;
const LOG_LINES = 12;
const MAX_LOG_LENGTH = 20_000;
const MAX_ARGUMENT_LENGTH = 80;

type StartedProcess = { name: string; child: ChildProcess; stderr: string };

const started = new Set<StartedProcess>();

/**
 * Registers a process that a test started: {@link describeProcesses} then reports its state, and so does a wait that
 * times out. Call it right after `spawn`; with a piped stderr it keeps the last lines.
 *
 * @param name the role of the process in the test, as in "worker"
 * @returns the same child
 * @example
 * const child = registerProcess(spawn(process.execPath, args, { stdio: 'pipe' }), 'toolyard serve');
 */
export function registerProcess<Child extends ChildProcess>(child: Child, name: string): Child {
  const entry: StartedProcess = { name, child, stderr: '' };
  started.add(entry);
  child.stderr?.on('data', (chunk: unknown) => {
    entry.stderr = (entry.stderr + String(chunk)).slice(-MAX_LOG_LENGTH);
  });
  for (const old of [...started].filter(hasExited).slice(0, -KEPT_EXITED)) started.delete(old);
  return child;
}

/**
 * The processes that tests of this worker started: pid, name, state, command and the last lines of stderr. Running ones
 * first, then the last exited ones; empty if there are none.
 */
export function describeProcesses(): string {
  const all = [...started];
  return [...all.filter((entry) => !hasExited(entry)), ...all.filter(hasExited).slice(-KEPT_EXITED)]
    .map(describeProcess)
    .join('\n');
}

/** Forgets exited processes, so that the next failure does not describe those of an earlier test. */
export function forgetExitedProcesses(): void {
  for (const entry of [...started].filter(hasExited)) started.delete(entry);
}

function hasExited({ child }: StartedProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

function describeProcess({ name, child, stderr }: StartedProcess): string {
  const command = child.spawnargs.map(shortened).join(' ');
  const log = child.stderr === null ? [] : lastLines(stderr);
  return [`- ${name}, pid ${child.pid ?? 'none'}, ${describeState(child)}: ${command}`, ...log].join('\n');
}

/** The end of a path is more informative than its beginning. */
function shortened(argument: string): string {
  const line = argument.replaceAll(/\s+/g, ' ');
  if (line.length <= MAX_ARGUMENT_LENGTH) return line;
  return line.startsWith('/') ? `…${line.slice(-MAX_ARGUMENT_LENGTH)}` : `${line.slice(0, MAX_ARGUMENT_LENGTH)}…`;
}

function lastLines(stderr: string): string[] {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return lines.length === 0 ? ['    (stderr is empty)'] : lines.slice(-LOG_LINES).map((line) => `    | ${line}`);
}

function describeState({ pid, exitCode, signalCode }: ChildProcess): string {
  if (signalCode !== null) return `killed by ${signalCode}`;
  if (exitCode !== null) return `exited with code ${exitCode}`;
  if (pid === undefined) return 'never started';
  const state = findProcess(pid)?.state;
  if (state === undefined) return 'gone';
  if (state === 'Z' || state === 'X') return 'zombie';
  return state === 'T' || state === 't' ? 'stopped' : 'running';
}
