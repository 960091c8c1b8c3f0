import type { Client, McpSubscription } from '@modelcontextprotocol/client';
import type { Clock } from '@toolyard/protocol';
import type { Era } from './types.ts';

/** Servers announce changes in bursts; one look after the burst is enough. Milliseconds. */
const DEBOUNCE_MS = 100;

export type ToolListWatch = {
  client: Client;
  era: Era;
  clock: Clock;
  /** Fetches the list again; never throws. */
  refresh(): Promise<void>;
  warn(text: string): void;
};

/**
 * Keeps a tool list current: legacy servers announce changes unasked, modern ones to whoever listens. One refresh
 * runs at a time, and an announcement during it leads to another one.
 *
 * @returns stops watching
 */
export function watchToolList(watch: ToolListWatch): () => void {
  const { client, clock } = watch;
  let stopped = false;
  let cancelTimer: (() => void) | undefined;
  let refreshing = false;
  let again = false;
  let subscription: McpSubscription | undefined;

  const refresh = (): void => {
    cancelTimer = undefined;
    if (refreshing) {
      again = true;
      return;
    }
    refreshing = true;
    void watch.refresh().finally(() => {
      refreshing = false;
      if (!again || stopped) return;
      again = false;
      schedule();
    });
  };
  const schedule = (): void => {
    if (stopped) return;
    cancelTimer ??= clock.after(DEBOUNCE_MS, refresh);
  };

  client.setNotificationHandler('notifications/tools/list_changed', schedule);
  if (watch.era === 'modern' && client.getServerCapabilities()?.tools?.listChanged === true) {
    client.listen({ toolsListChanged: true }).then(
      (opened) => {
        subscription = opened;
        if (stopped) void opened.close();
        void opened.closed.then((by) => {
          if (!stopped && by !== 'local')
            watch.warn('The server ended the stream that announces changes of its tools.');
        });
      },
      () => {
        if (!stopped) watch.warn('The server could not be asked to announce changes of its tools.');
      },
    );
  }

  return () => {
    stopped = true;
    cancelTimer?.();
    client.removeNotificationHandler('notifications/tools/list_changed');
    void subscription?.close();
  };
}
