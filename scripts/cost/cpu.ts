import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** Linux counts processor time in hundredths of a second, whatever its timer does (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100;
/** Position behind the command in `/proc/<pid>/stat` of the user time of children; that of the system follows it. */
const CHILDREN_USER = 13;
/** Between two samples: together they take two per cent of the time of two cores. */
const PAUSE_MS = 15_000;

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

/** Samples of the CPU seconds that the calibration script takes on this machine. */
type Calibration = {
  /** Ends the sampling. `cost` is the CPU time that the samples took themselves. */
  stop: () => Promise<{ median: number; samples: number; cost: number }>;
};

/**
 * Runs the calibration script again and again beside what is measured, at least once. The speed of a core changes within
 * seconds on a shared machine, and with the load: samples before and after a run would miss what happens in between.
 */
export function startCalibration(): Calibration {
  const seconds: number[] = [];
  const stopped = new AbortController();

  async function sample(): Promise<void> {
    do {
      seconds.push(await runOnce());
      await sleep(PAUSE_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    } while (!stopped.signal.aborted);
  }

  const sampling = sample();
  // It is awaited at the end only.
  sampling.catch(() => undefined);
  return {
    async stop() {
      stopped.abort();
      await sampling;
      const cost = seconds.reduce((sum, one) => sum + one, 0);
      return { median: medianOf(seconds), samples: seconds.length, cost };
    },
  };
}

/** Of an even number, the mean of the two in the middle. */
function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const [low = NaN, high = low] = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1);
  return (low + high) / 2;
}

async function runOnce(): Promise<number> {
  const script = join(import.meta.dirname, 'calibration.ts');
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const seconds = Number(output);
  if (!(seconds > 0)) throw new Error(`The calibration script printed "${output}" instead of CPU seconds.`);
  return seconds;
}
