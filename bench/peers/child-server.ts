import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../../testing/src/eventually.ts';

/** Starts a third-party server and waits until `url` responds. @throws Error with its last output if it exits first */
export async function startChildServer(
  stack: AsyncDisposableStack,
  [command = '', ...args]: readonly string[],
  { url, env = {} }: { url: string; env?: Readonly<Record<string, string>> },
): Promise<void> {
  const child = spawn(command, args, {
    // Some exit when stdin closes, so they exit with this process.
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
  stack.defer(async () => {
    child.stdin.end();
    const kill = (signal: NodeJS.Signals): void => void (!isOver() && child.pid && process.kill(-child.pid, signal));
    kill('SIGTERM');
    const timer = setTimeout(() => kill('SIGKILL'), 10_000);
    await exited;
    clearTimeout(timer);
  });
  const check = async (): Promise<boolean> => isOver() || (await isAnswered(url));
  await eventually(check, { what: `an answer of ${url}`, timeoutMs: 300_000, everyMs: 200 });
  if (isOver()) throw new Error(`${command} exited: ${printed.trim().split('\n').slice(-3).join(' ')}`);
}

async function isAnswered(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => null);
  // The body of an event stream has no end.
  await response?.body?.cancel();
  return response?.ok === true;
}
