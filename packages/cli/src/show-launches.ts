import type { ServerHealth } from '@toolyard/mcp-host';
import type { McpServerList } from '@toolyard/protocol';
import type { CommandIo } from './command-io.ts';
import { plainLine } from './sanitize.ts';

type Launching = Pick<ServerHealth, 'id' | 'launch'>;

/** A cached server starts within this time. */
const FIRST_SHOWN_SECONDS = 3;
/** Without a terminal: when the first line is printed, and the interval of the next ones. */
const FIRST_LINE_SECONDS = 10;
const LINE_EVERY_SECONDS = 30;

/**
 * Shows on stderr which launchers are still downloading, for how long, and their last line of output, until the returned
 * function is called. On a terminal it is one line, rewritten each second.
 */
export function showLaunches(
  { stderr, env }: Pick<CommandIo, 'stderr' | 'env'>,
  health: () => readonly Launching[] | Promise<readonly Launching[]>,
): () => void {
  const isScreen = stderr.isTTY === true && env['TERM'] !== 'dumb';
  let shown = '';
  const nextLine = new Map<string, number>();
  let isStopped = false;
  let isPolling = false;
  const show = (servers: readonly Launching[]): void => {
    if (isStopped) return;
    const lines = launchLines(servers, Date.now());
    if (!isScreen) {
      for (const { id, seconds, text } of lines) {
        if (seconds < (nextLine.get(id) ?? FIRST_LINE_SECONDS)) continue;
        nextLine.set(id, seconds + LINE_EVERY_SECONDS);
        stderr.write(`${text}\n`);
      }
      return;
    }
    const line = plainLine(lines.map(({ text }) => text).join(' · '), (stderr.columns ?? 80) - 1);
    if (line === shown) return;
    shown = line;
    stderr.write(`${CLEAR_LINE}${line}`);
  };
  const poll = async (): Promise<void> => {
    if (isPolling) return;
    isPolling = true;
    try {
      show(await health());
    } catch {
      // The command itself fails for the same reason and reports it.
    } finally {
      isPolling = false;
    }
  };
  const timer = setInterval(() => void poll(), 1_000);
  timer.unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
    if (shown !== '') stderr.write(CLEAR_LINE);
  };
}

/** Runs `work` and shows downloads of these servers in the meantime. */
export async function showWhileLaunching<T>(
  io: Pick<CommandIo, 'stderr' | 'env'>,
  { api }: { api: { get(path: '/api/mcp/servers'): Promise<McpServerList> } },
  work: () => Promise<T>,
): Promise<T> {
  const stop = showLaunches(io, async () => (await api.get('/api/mcp/servers')).items);
  try {
    return await work();
  } finally {
    stop();
  }
}

const CLEAR_LINE = '\r\u001b[K';

/** One line per launcher that is still downloading after three seconds. */
export function launchLines(
  health: readonly Launching[],
  now: number,
): { id: string; seconds: number; text: string }[] {
  return health.flatMap(({ id, launch }) => {
    if (launch === undefined) return [];
    const seconds = Math.floor((now - launch.since) / 1000);
    if (seconds < FIRST_SHOWN_SECONDS) return [];
    const last = launch.stderr.at(-1);
    const printed = last === undefined ? '' : `: ${plainLine(last, 100)}`;
    return [{ id, seconds, text: `server ${plainLine(id)}: Downloading… ${seconds} s (${launch.launcher})${printed}` }];
  });
}
