import { api, stopRequests } from '../api/client.ts';
import { fetchWithSession } from '../api/session-fetch.ts';
import { currentTools } from '../composer/current.svelte.ts';
import { chat } from '../chat/state/chat.svelte.ts';
import { live } from '../live/live.svelte.ts';
import { tabId } from '../live/tab-id.ts';
import { tabTools } from './tab-tools.ts';
import { mcpStore } from './mcp-store.svelte.ts';
import { TabToolProvider } from './tab-tool-provider.ts';
import { toTabServers } from './tab-servers.ts';

/** Maximum time a message waits for connecting servers, in milliseconds. */
const START_WAIT_MS = 3_000;

/** Connects the servers of this browser and those the open conversation enables; provides their tools to its runs. */
export function startBrowserServers(): void {
  const started = mcpStore.ensureInitialized();
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const toolProvider = new TabToolProvider({
    api,
    tabId,
    host: () => mcpStore.host(),
    now: () => performance.now(),
    wait,
  });
  const tabServers = () => toTabServers(mcpStore.tools(currentTools()), mcpStore.list);
  tabTools.announcer = async (conversationId) => {
    await Promise.race([started, wait(START_WAIT_MS)]);
    await toolProvider.announce(conversationId, tabServers());
  };

  live.onData(() => toolProvider.keepAlive());
  live.onHello(() => void toolProvider.poll());
  live.onChanged(({ what }) => {
    if (what === 'tab_calls' || what === 'interrupts') void toolProvider.poll();
  });
  $effect.root(() => {
    $effect(() => void mcpStore.follow(currentTools().servers));
    $effect(() => {
      const id = chat.view?.id;
      const servers = tabServers();
      if (id !== undefined) void toolProvider.announce(id, servers).catch(() => undefined);
    });
  });
  // Closing the page closes its sessions without waiting for operations in progress.
  addEventListener('pagehide', ({ persisted }) => {
    if (persisted) return;
    stopRequests();
    void mcpStore.shutdown(0);
    if (toolProvider.isActive)
      void fetchWithSession(`/api/tabs/${tabId}`, { method: 'DELETE', keepalive: true }).catch(() => undefined);
  });
}
