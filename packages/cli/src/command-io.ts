/** A signal that asks a command to stop. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

type InputStream = NodeJS.ReadableStream & { isTTY?: boolean };
export type OutputStream = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

/**
 * The process as a command sees it. `bin.ts` passes the real one; tests pass streams of their own, so that many
 * commands can run in one process. Commands use nothing of the global `process` that two of them could share.
 */
export type CommandIo = {
  stdin: InputStream;
  stdout: OutputStream;
  stderr: OutputStream;
  env: NodeJS.ProcessEnv;
  /** Relative paths start here. */
  cwd: string;
  /** Calls the listener for each stop signal until the returned function is called. */
  onSignal(listener: (signal: StopSignal) => void): () => void;
  /** Registers synchronous cleanup for an exit that does not wait for the command. */
  onExit(cleanup: () => void): void;
  /** Exits at once, without waiting for the command. */
  exit(code: number): void;
};

/** One call of `main`: its input and output, and its exit code. */
export type Invocation = { readonly io: CommandIo; exitCode: number };
