import type { ServerHealth } from '@toolyard/mcp-host';
import type { McpServerList } from '@toolyard/protocol';
import type { CommandIo } from './command-io.ts';
import { plainLine } from './sanitize.ts';

type Launching = Pick<ServerHealth, 'id' | 'launch'>;

/** A cached server answers in this time: until then nothing is shown. */
const FIRST_SHOWN_SECONDS = 3;
/** Where stderr is no screen, a line is written after this time, and then this often. */
const FIRST_LINE_SECONDS = 10;
const LINE_EVERY_SECONDS = 30;

/**
 * Shows on stderr which launchers have not answered yet, since when, and the last line they printed, until the returned
 * function is called. A screen gets one line that is rewritten each second.
 */
export function showLaunches(
  { stderr, env }: Pick<CommandIo, 'stderr' | 'env'>,
  health: () => readonly Launching[] | Promise<readonly Launching[]>,
): () => void {
  const isScreen = stderr.isTTY === true && env['TERM'] !== 'dumb';
  let shown = '';
  const nextLine = new Map<string, number>();
  let isOver = false;
  let isLooking = false;
  const show = (servers: readonly Launching[]): void => {
    if (isOver) return;
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
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      show(await health());
    } catch {
      // The command itself fails for the same reason, and says so.
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), 1_000);
  timer.unref();
  return () => {
    isOver = true;
    clearInterval(timer);
    if (shown !== '') stderr.write(CLEAR_LINE);
  };
}

/** Does something that may wait for launchers, and shows those among these servers meanwhile. */
export async function showWhileLaunching<T>(
  io: Pick<CommandIo, 'stderr' | 'env'>,
  { list }: { list: () => Promise<McpServerList> },
  work: () => Promise<T>,
): Promise<T> {
  const over = showLaunches(io, async () => (await list()).items);
  try {
    return await work();
  } finally {
    over();
  }
}

const CLEAR_LINE = '\r\u001b[K';

/** One line for each launcher that has not answered for a while. */
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
