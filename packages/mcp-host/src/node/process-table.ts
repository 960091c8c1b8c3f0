import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { linkIn, namesIn, readText, tryTo } from './system-files.ts';

/** A process of this user, identified by `started` and `pid` together: pids are reused, even within seconds. */
export type OwnProcess = {
  pid: number;
  started: string;
  /** The value of a variable in the environment it was started with. */
  variable(name: string): string | undefined;
};

/** Where pids are unique: on Linux a PID namespace; containers and sandboxes have their own. */
export function processNamespace(): string | undefined {
  if (process.platform === 'darwin') return 'mac';
  if (process.platform !== 'linux') return undefined;
  return /^pid:\[(\d+)\]$/.exec(linkIn('/proc/self/ns/pid'))?.[1];
}

/** When a process started, in a format of the system; undefined if it does not exist or is a zombie. */
export function findStart(pid: number): string | undefined {
  if (process.platform === 'linux') return readStat(String(pid))?.started;
  return listPs(['-p', String(pid)])[0]?.started;
}

export function findParent(pid: number): number | undefined {
  if (process.platform === 'linux') return readStat(String(pid))?.parent;
  return listPs(['-p', String(pid)])[0]?.parent;
}

/**
 * The processes of this user whose environment contains the text. Empty on Windows and if the system does not show
 * environments. Includes processes in containers and sandboxes below this namespace.
 */
export function processesWith(text: string): OwnProcess[] {
  if (process.platform === 'darwin') return listPs(['-A']).filter(({ variables }) => variables.includes(text));
  if (process.platform !== 'linux') return [];
  return namesIn('/proc').flatMap((pid) => (/^\d+$/.test(pid) ? (readProcessWith(pid, text) ?? []) : []));
}

function readProcessWith(pid: string, text: string): OwnProcess | undefined {
  // The cheap check first. Zombies and kernel threads have an empty environment.
  const environment = readText(`/proc/${pid}/environ`);
  if (!environment.includes(text)) return undefined;
  // Root can read the environment of every user.
  if (tryTo(() => statSync(`/proc/${pid}`).uid, undefined) !== process.geteuid?.()) return undefined;
  const stat = readStat(pid);
  return stat && { pid: Number(pid), started: stat.started, variable: (name) => variableIn(environment, name) };
}

function variableIn(environment: string, name: string): string | undefined {
  return environment
    .split('\0')
    .find((line) => line.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}

function readStat(pid: string): { parent: number; started: string } | undefined {
  // "pid (name) state parent ... start ...", and a name may contain spaces and parentheses.
  const stat = readText(`/proc/${pid}/stat`);
  const [state = '', parent = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const started = rest[START_FIELD];
  return started === undefined || 'ZX'.includes(state) ? undefined : { parent: Number(parent), started };
}

/** `starttime` is field 22 of `/proc/<pid>/stat`; `rest` begins with field 5. */
const START_FIELD = 22 - 5;

type PsEntry = OwnProcess & { parent: number; variables: string };

/** `-E` of macOS adds the environment to the command. */
function listPs(which: string[]): PsEntry[] {
  const columns = ['-o', 'pid=,ppid=,uid=,stat=,lstart=,command='];
  try {
    const output = execFileSync('ps', [...which, '-E', '-ww', ...columns], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1_024 * 1_024,
    });
    return readPs(output, process.geteuid?.());
  } catch {
    return [];
  }
}

/** Parses the output of `ps` on macOS: the processes of this user without zombies. Exported for its test. */
export function readPs(output: string, user: number | undefined): PsEntry[] {
  return output.split('\n').flatMap((line) => {
    const [, pid, parent, uid, state = '', day, variables = ''] = PS_LINE.exec(line) ?? [];
    if (pid === undefined || Number(uid) !== user || state.startsWith('Z')) return [];
    const variable = (name: string): string | undefined =>
      variables
        .split(' ')
        .find((word) => word.startsWith(`${name}=`))
        ?.slice(name.length + 1);
    return [
      { pid: Number(pid), parent: Number(parent), started: day?.replace(/[\s:]+/g, '-') ?? '', variables, variable },
    ];
  });
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+\w{3}\s+(\w{3}\s+\d+\s+[\d:]{8}\s+\d{4})\s(.*)$/;
