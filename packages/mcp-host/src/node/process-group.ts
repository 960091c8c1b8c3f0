import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import type { Clock } from '@toolyard/protocol';
import { terminateAll, findMarkedProcesses, signalTo } from './child-marker.ts';
import { groupExists, groupRuns } from './group-members.ts';
import { pause } from '@toolyard/protocol';

/** How long each stage of termination waits for the processes to exit, in milliseconds. */
const PATIENCE = { afterEndOfInput: 1_000, afterTerm: 1_000, afterKill: 2_000 };
const POLL_MS = 20;
/** The full check, which costs more, runs every this many polls. */
const FULL_POLL = 5;

/** Groups that have not ended: descendants of a server that exited may still run. */
const live = new Set<ProcessGroup>();

/**
 * Kills all stdio servers and their descendants synchronously. For exit handlers, where nothing asynchronous runs any
 * more.
 *
 * @example
 * process.on('exit', killAllStdioChildren);
 */
export function killAllStdioChildren(): void {
  const markers = [...live].flatMap(({ marker }) => marker ?? []);
  for (const group of live) group.killNow();
  for (const entry of findMarkedProcesses(markers)) signalTo(entry, 'SIGKILL');
}

/**
 * A child process and its descendants. On POSIX the child leads its own process group (spawn it `detached`), and
 * signals go to the group, which includes a server behind `sh -c` or `npx`. Processes that left the group are found by
 * their marker, see {@link newMarker}.
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
    // Once the group is empty, its id may be reused: check as early as possible.
    child.once('exit', () => this.isGone());
  }

  /** True once no process of the group is left; nothing is signalled after that. */
  isGone(): boolean {
    if (this.#gone) return true;
    this.#gone = process.platform === 'win32' ? hasExited(this.#child) : !groupExists(this.#pid);
    return this.#gone;
  }

  /**
   * Terminates the group: end of input, then SIGTERM, then SIGKILL, a second apart; then the processes that left the
   * group. Resolves when none is left, or a little after SIGKILL if the system does not reap them.
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
      // Windows has neither process groups nor SIGTERM; the first stage after end of input is already the last.
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
      if (poll % FULL_POLL === 0 && this.#onlyZombiesLeft()) return true;
      if (this.#clock.monotonic() - start >= ms) return false;
      await pause(this.#clock, POLL_MS);
    }
    return true;
  }

  #onlyZombiesLeft(): boolean {
    if (process.platform === 'win32' || groupRuns(this.#pid)) return false;
    this.#gone = true;
    return true;
  }
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
