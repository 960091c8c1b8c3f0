import { currentTools } from '../composer/current.svelte.ts';
import { mcpStore } from './mcp-store.svelte.ts';

/** Connects the servers of this browser, and from then on those the open conversation asks for. */
export function startBrowserServers(): void {
  void mcpStore.ensureInitialized();
  $effect.root(() => {
    $effect(() => void mcpStore.follow(currentTools().servers));
  });
  // A page that is closed leaves its sessions; what it is in the middle of is not waited for.
  addEventListener('pagehide', ({ persisted }) => {
    if (!persisted) void mcpStore.shutdown(0);
  });
}
