import { api, fallSilent } from '../api/client.ts';
import { withSecret } from '../api/session-fetch.ts';
import { currentTools } from '../composer/current.svelte.ts';
import { chat } from '../state/chat.svelte.ts';
import { live } from '../state/live.svelte.ts';
import { tabId } from '../state/tab-id.ts';
import { runPlaces } from '../tab-runs/run-places.svelte.ts';
import { lending } from './lending.svelte.ts';
import { mcpStore } from './mcp-store.svelte.ts';
import { TabLender } from './tab-lender.ts';
import { tabServersOf } from './tab-servers.ts';

/** A message does not wait for longer than this for servers that are connecting, in milliseconds. */
const PATIENCE_MS = 3_000;

/**
 * Connects the servers of this browser, and from then on those the open conversation asks for; lends their tools to
 * its runs.
 */
export function startBrowserServers(): void {
  const started = mcpStore.ensureInitialized();
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const lender = new TabLender({ api, tabId, host: () => mcpStore.host(), now: () => performance.now(), wait });
  const lent = () => tabServersOf(mcpStore.tools(currentTools()), mcpStore.list);
  lending.by = {
    async lend(conversationId) {
      await Promise.race([started, wait(PATIENCE_MS)]);
      await lender.offer(conversationId, lent());
    },
    begin: async (request) =>
      lending.offered && runPlaces.chosen === 'tab'
        ? (await import('../tab-runs/tab-runs.ts')).startHere(request)
        : null,
  };

  live.onSign(() => lender.heard());
  live.onHello(() => void lender.look());
  live.onChanged(({ what }) => {
    if (what === 'tab_calls' || what === 'interrupts') void lender.look();
  });
  $effect.root(() => {
    $effect(() => void mcpStore.follow(currentTools().servers));
    $effect(() => {
      const id = chat.view?.id;
      const servers = lent();
      lending.offered = servers.length > 0;
      if (id !== undefined) void lender.offer(id, servers).catch(() => undefined);
    });
  });
  // A page that is closed leaves its sessions; what it is in the middle of is not waited for.
  addEventListener('pagehide', ({ persisted }) => {
    if (persisted) return;
    fallSilent();
    void mcpStore.shutdown(0);
    if (lender.lends)
      void fetch(`/api/tabs/${tabId}`, withSecret({ method: 'DELETE', keepalive: true })).catch(() => undefined);
  });
}
