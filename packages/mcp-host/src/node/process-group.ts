import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import type { Clock } from '@toolyard/protocol';
import { terminateAll, findMarkedProcesses, signalTo } from './child-marker.ts';
import { groupExists, groupRuns } from './group-members.ts';

/** How long each stage of ending waits for the processes to go, in milliseconds. */
const PATIENCE = { afterEndOfInput: 1_000, afterTerm: 1_000, afterKill: 2_000 };
const POLL_MS = 20;
/** Every so many polls the system is asked in full, which costs more. */
const FULL_POLL = 5;

/** Groups that are not ended yet: of a server that exited, what it left behind may still run. */
const live = new Set<ProcessGroup>();

/**
 * Kills every stdio server still alive, with all its descendants, at once and without waiting. For the exit handlers
 * of a process, where nothing asynchronous runs any more.
 */
export function killAllStdioChildren(): void {
  const markers = [...live].flatMap(({ marker }) => marker ?? []);
  for (const group of live) group.killNow();
  for (const entry of findMarkedProcesses(markers)) signalTo(entry, 'SIGKILL');
}

/**
 * A child process and everything it started. On POSIX the child leads a process group of its own (it must have been
 * spawned `detached`), and signals go to the group: a server behind `sh -c` or `npx` is reached as well. What has left
 * the group is found by its marker, see {@link newMarker}.
 */
export class ProcessGroup {
  readonly #child: ChildProcess;
  readonly #pid: number;
  readonly #clock: Clock;
  #gone = false;
  #ending: Promise<void> | undefined;
  readonly marker: string | undefined;

  constructor(child: ChildProcess, pid: number, { clock, marker }: { clock: Clock; marker: string | undefined }) {
    this.#child = child;
    this.#pid = pid;
    this.#clock = clock;
    this.marker = marker;
    live.add(this);
    // Once the whole group is gone its number may be given to a stranger: look at the first possible moment.
    child.once('exit', () => this.isGone());
  }

  /** True once no process of the group is left; from then on nothing is ever signalled again. */
  isGone(): boolean {
    if (this.#gone) return true;
    this.#gone = process.platform === 'win32' ? hasExited(this.#child) : !groupExists(this.#pid);
    return this.#gone;
  }

  /**
   * Ends the group: end of input, then SIGTERM, then SIGKILL, with a second in between; then what has left the group.
   * Resolves when no process is left, or a little after SIGKILL if the system does not clear them away.
   */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    await this.#endGroup();
    const { marker } = this;
    if (marker !== undefined) await terminateAll(() => findMarkedProcesses([marker]), this.#clock);
    live.delete(this);
  }

  async #endGroup(): Promise<void> {
    this.#child.stdin?.end();
    if (await this.#goneWithin(PATIENCE.afterEndOfInput)) return;
    this.#signal('SIGTERM');
    if (await this.#goneWithin(PATIENCE.afterTerm)) return;
    this.#signal('SIGKILL');
    await this.#goneWithin(PATIENCE.afterKill);
  }

  /** SIGKILL to the group, synchronously. */
  killNow(): void {
    if (this.isGone()) return;
    if (process.platform === 'win32') {
      spawnSync('taskkill', ['/PID', String(this.#pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
      return;
    }
    this.#signal('SIGKILL');
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.isGone()) return;
    if (process.platform === 'win32') {
      // Windows has neither groups nor SIGTERM; the first stage after end of input is already the last.
      const killer = spawn('taskkill', ['/PID', String(this.#pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
      killer.on('error', () => this.#child.kill());
      return;
    }
    try {
      process.kill(-this.#pid, signal);
    } catch {
      // It went in the meantime.
    }
  }

  async #goneWithin(ms: number): Promise<boolean> {
    const start = this.#clock.monotonic();
    for (let poll = 1; !this.isGone(); poll++) {
      if (poll % FULL_POLL === 0 && this.#onlyDeadAreLeft()) return true;
      if (this.#clock.monotonic() - start >= ms) return false;
      await new Promise<void>((resolve) => void this.#clock.after(POLL_MS, resolve));
    }
    return true;
  }

  #onlyDeadAreLeft(): boolean {
    if (process.platform === 'win32' || groupRuns(this.#pid)) return false;
    this.#gone = true;
    return true;
  }
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
