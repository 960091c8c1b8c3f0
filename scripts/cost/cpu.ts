import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Linux counts processor time in hundredths of a second, whatever its timer does (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100;
/** Position behind the command in `/proc/<pid>/stat` of the user time of children; that of the system follows it. */
const CHILDREN_USER = 13;
const AT_ONCE = 2;
const ROUNDS = 2;

/**
 * CPU seconds (user and system) of this process and of all processes below it that have ended and were waited for.
 * Null where the system does not tell (only Linux does without native code). A process whose parent was killed before
 * it is not counted.
 */
export function cpuSeconds(): number | null {
  if (process.platform !== 'linux') return null;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // "pid (command) state ...": the command may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ofChildren = (Number(fields[CHILDREN_USER]) + Number(fields[CHILDREN_USER + 1])) / TICKS_PER_SECOND;
  const { user, system } = process.cpuUsage();
  return ofChildren + (user + system) / 1e6;
}

/**
 * CPU seconds the calibration script takes on this machine now: the mean of several runs, as many at once as checks
 * are, because a core is slower while the other one works.
 */
export async function calibrate(): Promise<number> {
  const seconds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    seconds.push(...(await Promise.all(Array.from({ length: AT_ONCE }, runOnce))));
  }
  return seconds.reduce((sum, one) => sum + one, 0) / seconds.length;
}

async function runOnce(): Promise<number> {
  const script = join(import.meta.dirname, 'calibration.ts');
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const seconds = Number(output);
  if (!(seconds > 0)) throw new Error(`The calibration script printed "${output}" instead of CPU seconds.`);
  return seconds;
}
