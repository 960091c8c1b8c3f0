import type { ServerHealth } from '@toolyard/mcp-host';
import type { CommandIo } from './command-io.ts';
import { plainLine } from './plain.ts';

type Launching = Pick<ServerHealth, 'id' | 'launch'>;

/** A cached server answers in this time: until then nothing is shown. */
const FIRST_SHOWN_SECONDS = 3;
/** Where stderr is no screen, a line is written this often. */
const LINE_EVERY_SECONDS = 30;

/**
 * Shows on stderr which launchers have not answered yet, since when, and the last line they printed, until the returned
 * function is called. A screen gets one line that is rewritten each second.
 */
export function showLaunches(
  { stderr, env }: Pick<CommandIo, 'stderr' | 'env'>,
  health: () => readonly Launching[],
): () => void {
  const isScreen = stderr.isTTY === true && env['TERM'] !== 'dumb';
  let shown = '';
  const show = (): void => {
    const lines = launchLines(health(), Date.now());
    if (!isScreen) {
      for (const { seconds, text } of lines) if (seconds % LINE_EVERY_SECONDS === 10) stderr.write(`${text}\n`);
      return;
    }
    const line = plainLine(lines.map(({ text }) => text).join(' · '), (stderr.columns ?? 80) - 1);
    if (line === shown) return;
    shown = line;
    stderr.write(`${CLEAR_LINE}${line}`);
  };
  const timer = setInterval(show, 1_000);
  timer.unref();
  return () => {
    clearInterval(timer);
    if (shown !== '') stderr.write(CLEAR_LINE);
  };
}

const CLEAR_LINE = '\r\u001b[K';

/** One line for each launcher that has not answered for a while. */
export function launchLines(health: readonly Launching[], now: number): { seconds: number; text: string }[] {
  return health.flatMap(({ id, launch }) => {
    if (launch === undefined) return [];
    const seconds = Math.floor((now - launch.since) / 1000);
    if (seconds < FIRST_SHOWN_SECONDS) return [];
    const last = launch.stderr.at(-1);
    const printed = last === undefined ? '' : `: ${plainLine(last, 100)}`;
    return [{ seconds, text: `server ${plainLine(id)}: Downloading… ${seconds} s (${launch.launcher})${printed}` }];
  });
}
