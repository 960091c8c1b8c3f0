import type { CommandIo, StopSignal } from './command-io.ts';

const STOP_SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The real process, for the binary. */
export function processIo(): CommandIo {
  return {
    // Opening stdin has a cost and may fail, so it waits for the first command that reads it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    onSignal(listener) {
      const disposers = STOP_SIGNALS.map((signal) => {
        const hear = (): void => listener(signal);
        process.on(signal, hear);
        return () => process.off(signal, hear);
      });
      return () => disposers.forEach((dispose) => dispose());
    },
    onExit: (cleanup) => void process.once('exit', cleanup),
    exit: (code) => process.exit(code),
  };
}
