import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isAlive, processTreeOf } from '../testing/src/processes.ts';
import { MACHINE_TMP_VARIABLE, RUN_VARIABLE, runFolder } from '../testing/src/test-run.ts';
import { memoryFolder } from './memory-folder.ts';

/**
 * All temporary files of a test run are in one folder, in memory if possible, which is deleted at its end. Its name
 * contains the process the run belongs to; if that was killed, the next run deletes the folder and kills the processes
 * that have its name in their environment.
 */
const NAME = /^toolyard-run-(?<namespace>\d+)-(?<pid>\d+)-(?<startedAt>\d+)$/;

/**
 * Begins the test run of this process, where it is not part of one. The result ends it; so does the end of the process.
 */
export function beginTestRun(): () => void {
  const current = runFolder();
  if (current !== undefined && existsSync(current)) return () => {};
  removeKilledRuns();
  const folder = join(memoryFolder() ?? tmpdir(), nameOfRun());
  mkdirSync(folder, { recursive: true });
  // As open as the folder it replaces: PostgreSQL runs as another user.
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

/** Environment of a program whose temporary files are to be in the folder of the test run. */
export function testRunEnv(): Record<string, string> {
  const folder = runFolder();
  return folder === undefined ? {} : { TMPDIR: folder, TMP: folder, TEMP: folder };
}

/** Deletes the folders and kills the processes of runs whose own process is gone. */
function removeKilledRuns(): void {
  if (process.platform === 'linux') killProcesses();
  for (const base of new Set([tmpdir(), memoryFolder() ?? tmpdir()])) {
    for (const name of readdirSync(base)) if (isKilledRun(name)) remove(join(base, name));
  }
}

/** Names this process so that a later one with the same number is not taken for it. */
function nameOfRun(): string {
  return `toolyard-run-${namespaceOf()}-${process.pid}-${startOf(process.pid)}`;
}

function isKilledRun(name: string): boolean {
  const found = NAME.exec(name);
  if (!found) return false;
  const { namespace, pid, startedAt } = found.groups ?? {};
  // The processes of another container cannot be seen from here.
  if (namespace !== namespaceOf()) return false;
  return !isAlive(Number(pid)) || startOf(Number(pid)) !== startedAt;
}

/** Linux only; elsewhere a test that was killed may leave processes behind. */
function killProcesses(): void {
  const marked = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isKilledRun(runOf(pid)));
  for (const pid of marked.flatMap((each) => processTreeOf(Number(each)))) {
    if (pid === process.pid) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has exited meanwhile.
    }
  }
}

/** The name of the test run a process belongs to, from the environment it was started with. */
function runOf(pid: string): string {
  const environment = read(`/proc/${pid}/environ`).split('\0');
  return basename(environment.find((variable) => variable.startsWith(`${RUN_VARIABLE}=`)) ?? '');
}

function namespaceOf(): string {
  if (process.platform !== 'linux') return '0';
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
}

/** When a process started, in ticks since the machine did; where that is not known, its number must do. */
function startOf(pid: number): string {
  if (process.platform !== 'linux') return '0';
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0';
}

/** Empty where the process is gone or belongs to another user. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** A process that was just killed may still write; what belongs to another user stays. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  } catch {
    // The next run tries again.
  }
}
