import { killAllStdioChildren } from '@toolyard/mcp-host/node';
import { EXIT } from '../exit.ts';

/** Each thing that is waited for has a limit of its own; after half a minute most supervisors send SIGKILL. */
const END_WITHIN_S = 25;

/**
 * Exits after a while, whatever this process waits for, and logs what that is. A process that ends by itself is not
 * held up.
 *
 * @param of.waitsFor null where nothing is waited for that has a name
 * @param of.withinS in seconds; default 25
 */
export function endAnyway({
  waitsFor,
  tell,
  withinS = END_WITHIN_S,
}: {
  waitsFor: () => string | null;
  tell: (line: string) => void;
  withinS?: number;
}): void {
  const timer = setTimeout(() => {
    const what = waitsFor() ?? `open in this process: ${process.getActiveResourcesInfo().join(', ')}`;
    tell(`not ended after ${withinS} s and ended all the same; what held on: ${what}`);
    killAllStdioChildren();
    process.exit(EXIT.failed);
  }, withinS * 1_000);
  timer.unref();
}
