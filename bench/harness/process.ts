import type { ChildProcess, Serializable } from 'node:child_process';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A child process that answers each message with one message. */
export type Peer<Out extends Serializable, In> = AsyncDisposable & {
  /** Rejects if the child has exited, exits, or exceeds `withinMs` and is killed. */
  ask(message: Out, withinMs: number): Promise<In>;
  /** The first message of the child. */
  hear(withinMs: number): Promise<In>;
  /** Resolves when the child has exited. */
  end(): Promise<void>;
};

/** Starts a file of bench/ with the Node and conditions of this process. */
export function startPeer<Out extends Serializable, In>(
  file: string,
  options: { args?: readonly string[]; execArgv?: readonly string[] } = {},
): Peer<Out, In> {
  const child = fork(fileURLToPath(new URL(`../${file}`, import.meta.url)), options.args, {
    // stdout is for the results of the bench.
    stdio: ['ignore', 2, 2, 'ipc'],
    execArgv: [...process.execArgv, ...(options.execArgv ?? [])],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return peerOf(child, () => void (child.connected && child.disconnect()));
}

/** A child with a channel. `leave` makes it exit by itself. */
export function peerOf<Out extends Serializable, In>(child: ChildProcess, leave: () => void): Peer<Out, In> {
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });

  function hear(withinMs: number): Promise<In> {
    return new Promise<In>((resolve, reject) => {
      const timer = setTimeout(() => {
        finish();
        child.kill('SIGKILL');
        reject(new Error(`no answer within ${withinMs / 1000} s`));
      }, withinMs);
      const onMessage = (message: Serializable): void => {
        finish();
        resolve(message as In);
      };
      const onExit = (): void => {
        finish();
        reject(new Error(`its process has exited (${child.signalCode ?? child.exitCode ?? 'not started'})`));
      };
      const finish = (): void => {
        clearTimeout(timer);
        child.off('message', onMessage);
        child.off('exit', onExit);
      };
      child.on('message', onMessage);
      child.on('exit', onExit);
      if (hasEnded(child)) onExit();
    });
  }

  async function end(): Promise<void> {
    if (!hasEnded(child)) leave();
    const timer = setTimeout(() => child.kill('SIGKILL'), EXIT_WAIT_MS);
    if (!hasEnded(child)) await gone;
    clearTimeout(timer);
  }

  return {
    hear,
    end,
    [Symbol.asyncDispose]: end,
    ask(message, withinMs) {
      const reply = hear(withinMs);
      if (!hasEnded(child)) child.send(message);
      return reply;
    },
  };
}

const EXIT_WAIT_MS = 10_000;

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}
