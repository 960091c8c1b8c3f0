import type { Principal } from '@toolyard/protocol';
import { messageOf } from '@toolyard/protocol';
import { liveFrames } from '../transport/frames.ts';
import type { Router } from '../transport/router.ts';
import type { RouteContext } from '../route-context.ts';

export function addLiveRoutes({ route }: Router, deps: RouteContext): void {
  const { streams, tabs, log, eventStreams } = deps;
  /** Open streams of this process by owner and tab. */
  const open = new Map<string, number>();

  /** A tab whose last stream ends was closed, or reconnects soon. */
  function follow(principal: Principal, tabId: string, signal: AbortSignal): void {
    const key = JSON.stringify([principal.ownerId, tabId]);
    open.set(key, (open.get(key) ?? 0) + 1);
    signal.addEventListener('abort', () => {
      const remaining = (open.get(key) ?? 1) - 1;
      if (remaining > 0) open.set(key, remaining);
      else open.delete(key);
      if (remaining > 0 || eventStreams.closing) return;
      tabs.streamEnded(principal, tabId).catch((error: unknown) => {
        log(`tabs: ${messageOf(error)}`);
      });
    });
  }

  route('GET /api/events', ({ c, principal, query }) => {
    const cursor = c.req.header('last-event-id') ?? query.after ?? null;
    return eventStreams.answer(
      c,
      principal,
      (signal) => {
        if (query.tab !== undefined) follow(principal, query.tab, signal);
        return streams.readAll(principal, cursor, signal);
      },
      liveFrames,
    );
  });
}
