import { killAllStdioChildren } from '@toolyard/mcp-host/node';

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

type StopSignal = keyof typeof CODES;

export type StopSignals = {
  /** 128 and the number of the signal that came, null where none did. */
  exitCode(): number | null;
  /** True where the process is to end, not only the answer under way. */
  wantsEnd(): boolean;
  /** The stop has been seen to: the next Ctrl-C is a first one again. */
  reset(): void;
  dispose(): void;
};

/**
 * Lets `stop` end things in order at the first signal. Where it says that there is nothing to stop, and at a second
 * signal while the first is being seen to, the process ends at once, and takes the servers it started with it.
 */
export function onStopSignal(stop: (signal: StopSignal) => boolean): StopSignals {
  let came: StopSignal | null = null;
  const names = Object.keys(CODES) as StopSignal[];
  const listeners = names.map((signal) => {
    const listener = (): void => {
      const again = came !== null;
      came = signal;
      if (!again && stop(signal)) return;
      killAllStdioChildren();
      process.exit(CODES[signal]);
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return {
    exitCode: () => came && CODES[came],
    wantsEnd: () => came !== null && came !== 'SIGINT',
    reset: () => {
      came = null;
    },
    dispose: () => listeners.forEach((off) => off()),
  };
}
