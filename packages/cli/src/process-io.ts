import type { CommandIo, StopSignal } from './command-io.ts';

const STOP_SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Input and output of the real process. */
export function processIo(): CommandIo {
  return {
    // Opening stdin is slow and can fail, so open it at the first read.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    onSignal(listener) {
      const disposers = STOP_SIGNALS.map((signal) => {
        const handler = (): void => listener(signal);
        process.on(signal, handler);
        return () => process.off(signal, handler);
      });
      return () => disposers.forEach((dispose) => dispose());
    },
    onExit: (cleanup) => void process.once('exit', cleanup),
    exit: (code) => process.exit(code),
  };
}
