import type { Progress, RequestMeta } from '@modelcontextprotocol/client';
import type { Clock } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { conversationsWaitedFor } from './relay-meta.ts';
import type { ToolProgress } from '../types.ts';
import { cut, SERVER_LIMITS } from '../values/server-limits.ts';

type SentProgress = Progress & { _meta?: RequestMeta };

/**
 * Reports the progress of one call within {@link SERVER_LIMITS}: what is too much is left out, because later progress
 * replaces it. Another Toolyard process has limited its own, and may add what the call waits for.
 */
export function progressReporter(
  report: (progress: ToolProgress) => void,
  { clock, relays }: { clock: Pick<Clock, 'monotonic'>; relays: boolean },
): (sent: SentProgress) => void {
  const { burst, perSecond, characters } = SERVER_LIMITS.progress;
  let left: number = burst;
  let at = clock.monotonic();
  return ({ progress, total, message, _meta: meta }) => {
    const now = clock.monotonic();
    left = Math.min(burst, left + ((now - at) / 1_000) * perSecond);
    at = now;
    if (left < 1 && !relays) return;
    left -= 1;
    const text = message === undefined ? undefined : cut(message, characters);
    const waitsFor = relays ? conversationsWaitedFor(meta) : undefined;
    report({ progress, ...defined({ total, text, waitsFor }) });
  };
}
