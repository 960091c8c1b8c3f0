import { killAllStdioChildren } from '@toolyard/mcp-host/node';
import { EXIT } from '../exit.ts';

/** Each thing that is waited for has a limit of its own; after half a minute most supervisors kill, without a word. */
const END_WITHIN_S = 25;

/**
 * Ends this process after a while, whatever it waits for, and says what that is. One that ends by itself is not held
 * up.
 *
 * @param of.waitsFor null where nothing is waited for that has a name
 */
export function endAnyway({ waitsFor, tell }: { waitsFor: () => string | null; tell: (line: string) => void }): void {
  const timer = setTimeout(() => {
    const what = waitsFor() ?? `open in this process: ${process.getActiveResourcesInfo().join(', ')}`;
    tell(`not ended after ${END_WITHIN_S} s and ended all the same; what held on: ${what}`);
    killAllStdioChildren();
    process.exit(EXIT.failed);
  }, END_WITHIN_S * 1_000);
  timer.unref();
}
