import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** `state` is the letter of the kernel: `R`, `S` and `D` run or sleep, `T` is stopped, `Z` a zombie. */
export type ProcessEntry = { pid: number; parent: number; state: string };

/** Every process of this machine, including zombies. Linux and other Unixes only. */
export function listProcesses(): ProcessEntry[] {
  if (process.platform !== 'linux') return listPs();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProc(Number(name)) ?? []);
}

/** The entry of one process, including a zombie; undefined if it does not exist. */
export function findProcess(pid: number): ProcessEntry | undefined {
  if (process.platform === 'linux') return readProc(pid);
  return listPs(pid)[0];
}

function readProc(pid: number): ProcessEntry | undefined {
  try {
    // "pid (command) state parent ...": the command may contain spaces and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid, parent: Number(parent), state };
  } catch {
    return undefined;
  }
}

function listPs(pid?: number): ProcessEntry[] {
  let output: string;
  try {
    const which = pid === undefined ? ['-A'] : ['-p', String(pid)];
    output = execFileSync('ps', [...which, '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' });
  } catch {
    return [];
  }
  return output
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length === 3)
    .map(([found, parent, state = '']) => ({ pid: Number(found), parent: Number(parent), state: state.charAt(0) }));
}
