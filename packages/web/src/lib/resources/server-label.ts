import { showHidden } from '@toolyard/protocol';
import { mcpStore } from '../mcp/mcp-store.svelte.ts';
import { serverLabel } from '../servers/server-words.ts';
import { servers } from '../state/servers.svelte.ts';

/** The user's name for a server of either place, also for one that is gone. */
export function labelOfServer(serverId: string): string {
  const found = [...servers.list, ...mcpStore.list].find(({ id }) => id === serverId);
  return found === undefined ? showHidden(serverId) : serverLabel(found).name;
}
