import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** Linux reports CPU time in hundredths of a second (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100;
/** Position after the command in `/proc/<pid>/stat` of the children's user time; their system time follows. */
const CHILDREN_USER = 13;
/** Pause between two samples, which take two per cent of two cores. */
const PAUSE_MS = 15_000;

/**
 * CPU seconds (user and system) of this process and of all descendants that have exited and were waited for. Null if the
 * system does not report them (only Linux does without native code). Does not include processes whose parent was killed
 * first.
 */
export function cpuSeconds(): number | null {
  const ofChildren = childrenCpuSeconds();
  if (ofChildren === null) return null;
  const { user, system } = process.cpuUsage();
  return ofChildren + (user + system) / 1e6;
}

/** The part of {@link cpuSeconds} of the descendants. */
export function childrenCpuSeconds(): number | null {
  if (process.platform !== 'linux') return null;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // "pid (command) state ...": the command can contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[CHILDREN_USER]) + Number(fields[CHILDREN_USER + 1])) / TICKS_PER_SECOND;
}

/** Samples of the CPU seconds that the calibration script takes on this machine. */
type Calibration = {
  /** Stops sampling. `cost`: CPU time of the samples themselves. */
  stop: () => Promise<{ median: number; samples: number; cost: number }>;
};

/**
 * Runs the calibration script repeatedly during the measurement, at least once. On a shared machine, the speed of a core
 * changes within seconds, so samples before and after a run are not enough.
 *
 * @param onStart is called with the process of each sample
 */
export function startCalibration(onStart: (child: ChildProcess) => void): Calibration {
  const seconds: number[] = [];
  const stopped = new AbortController();

  async function sample(): Promise<void> {
    do {
      seconds.push(await runOnce(onStart));
      await sleep(PAUSE_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    } while (!stopped.signal.aborted);
  }

  const sampling = sample();
  // Awaited only at the end.
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

/** The median; for an even count, the mean of the two middle values. */
function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const [low = NaN, high = low] = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1);
  return (low + high) / 2;
}

async function runOnce(onStart: (child: ChildProcess) => void): Promise<number> {
  const script = join(import.meta.dirname, 'calibration.ts');
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onStart(child);
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const seconds = Number(output);
  if (!(seconds > 0)) throw new Error(`The calibration script printed "${output}" instead of CPU seconds.`);
  return seconds;
}
