import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isAlive, listProcessTree } from '../testing/src/processes.ts';
import { MACHINE_TMP_VARIABLE, RUN_VARIABLE, runFolder } from '../testing/src/test-run.ts';
import { memoryFolder } from './memory-folder.ts';

/**
 * All temporary files of a test run are in one folder, in memory if possible, which is deleted at the end. Its name
 * identifies the process of the run; if that was killed, the next run deletes the folder and kills the processes with its
 * name in their environment.
 */
const NAME = /^toolyard-run-(?<namespace>\d+)-(?<pid>\d+)-(?<startedAt>\d+)$/;

/**
 * Begins a test run, unless this process is part of one. The returned function, or the exit of the process, ends it.
 */
export function beginTestRun(): () => void {
  const current = runFolder();
  if (current !== undefined && existsSync(current)) return () => {};
  removeKilledRuns();
  const folder = join(memoryFolder() ?? tmpdir(), nameOfRun());
  mkdirSync(folder, { recursive: true });
  // World-writable like /tmp, because PostgreSQL runs as another user.
  chmodSync(folder, 0o1777);
  process.env[RUN_VARIABLE] = folder;
  process.env[MACHINE_TMP_VARIABLE] = tmpdir();
  const end = (): void => {
    process.off('exit', end);
    delete process.env[RUN_VARIABLE];
    delete process.env[MACHINE_TMP_VARIABLE];
    remove(folder);
  };
  process.on('exit', end);
  return end;
}

/** Environment for a program that uses the folder of the test run for temporary files. */
export function testRunEnv(): Record<string, string> {
  const folder = runFolder();
  return folder === undefined ? {} : { TMPDIR: folder, TMP: folder, TEMP: folder };
}

/** Deletes folders and kills processes of runs whose own process has exited. */
function removeKilledRuns(): void {
  if (process.platform === 'linux') killProcesses();
  for (const base of new Set([tmpdir(), memoryFolder() ?? tmpdir()])) {
    for (const name of readdirSync(base)) if (isKilledRun(name)) remove(join(base, name));
  }
}

/** Includes the start time, so that a later process with the same PID has another name. */
function nameOfRun(): string {
  return `toolyard-run-${readNamespace()}-${process.pid}-${readStart(process.pid)}`;
}

function isKilledRun(name: string): boolean {
  const found = NAME.exec(name);
  if (!found) return false;
  const { namespace, pid, startedAt } = found.groups ?? {};
  // Processes of another container are not visible.
  if (namespace !== readNamespace()) return false;
  return !isAlive(Number(pid)) || readStart(Number(pid)) !== startedAt;
}

/** Linux only; elsewhere, processes of a killed run keep running. */
function killProcesses(): void {
  const marked = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isKilledRun(readRun(pid)));
  for (const pid of marked.flatMap((each) => listProcessTree(Number(each)))) {
    if (pid === process.pid) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has already exited.
    }
  }
}

/** The test run of a process, from its initial environment. */
function readRun(pid: string): string {
  const environment = read(`/proc/${pid}/environ`).split('\0');
  return basename(environment.find((variable) => variable.startsWith(`${RUN_VARIABLE}=`)) ?? '');
}

function readNamespace(): string {
  if (process.platform !== 'linux') return '0';
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
}

/** Start time of a process in ticks since boot; a constant if unknown. */
function readStart(pid: number): string {
  if (process.platform !== 'linux') return '0';
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0';
}

/** Empty if the process has exited or belongs to another user. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Deletes a folder. A process that was just killed may still write, and files of other users remain. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  } catch {
    // The next run retries.
  }
}
