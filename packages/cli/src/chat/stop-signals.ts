import { killAllStdioChildren } from '@toolyard/mcp-host/node';
import type { CommandIo, StopSignal } from '../command-io.ts';

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export type StopSignals = {
  /** 128 plus the number of the last signal; null if none was received. */
  exitCode(): number | null;
  /** True if the whole command must end, not only the answer in progress. */
  wantsEnd(): boolean;
  /** The stop has been handled: the next Ctrl-C counts as a first one again. */
  reset(): void;
  dispose(): void;
};

/**
 * Calls `stop` at the first signal, to end things in order. If it returns false (nothing to stop), and at a second
 * signal while the first is being handled, the command exits at once and kills the MCP servers it started.
 */
export function onStopSignal(io: CommandIo, stop: (signal: StopSignal) => boolean): StopSignals {
  let received: StopSignal | null = null;
  io.onExit(killAllStdioChildren);
  const dispose = io.onSignal((signal) => {
    const isSecond = received !== null;
    received = signal;
    if (!isSecond && stop(signal)) return;
    io.exit(CODES[signal]);
  });
  return {
    exitCode: () => received && CODES[received],
    wantsEnd: () => received !== null && received !== 'SIGINT',
    reset: () => {
      received = null;
    },
    dispose,
  };
}
