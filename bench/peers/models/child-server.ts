import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually } from '../../../testing/src/eventually.ts';

/** A third-party server in a separate process group. */
export type ChildServer = { end(): Promise<void> };

/** Starts it and waits until `url` responds. @throws Error with its last output if it exits first */
export async function startChildServer(
  command: string,
  args: readonly string[],
  { url, env = {} }: { url: string; env?: Readonly<Record<string, string>> },
): Promise<ChildServer> {
  const child = spawn(command, args, {
    // The servers exit when stdin closes, so they exit with this process.
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    detached: true,
  });
  let printed = '';
  for (const pipe of [child.stdout, child.stderr]) {
    pipe.setEncoding('utf8').on('data', (text: string) => (printed = (printed + text).slice(-4_000)));
  }
  const exited = once(child, 'exit');
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const end = async (): Promise<void> => {
    child.stdin.end();
    if (!isOver() && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    const timer = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), 10_000);
    await exited;
    clearTimeout(timer);
  };
  const check = async (): Promise<boolean> => isOver() || (await isAnswered(url));
  try {
    await eventually(check, { what: `an answer of ${url}`, timeoutMs: 180_000, everyMs: 200 });
  } catch (thrown) {
    await end();
    throw thrown;
  }
  if (isOver()) throw new Error(`${command} exited: ${printed.trim().split('\n').slice(-3).join(' ')}`);
  return { end };
}

async function isAnswered(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

/** True if nothing listens on this port. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => (socket.destroy(), resolve(false)));
    socket.once('error', () => resolve(true));
  });
}
