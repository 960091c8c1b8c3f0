import { showName } from '@toolyard/protocol';
import { mcpStore } from '../mcp/mcp-store.svelte.ts';
import { serverLabel } from '../servers/server-words.ts';
import { servers } from '../state/servers.svelte.ts';
import type { ServerRef } from './server-requests.ts';

/** The server of a stored resource or prompt, by where its connection is now. */
export function sourceOfServer(serverId: string): ServerRef {
  return { place: mcpStore.list.some(({ id }) => id === serverId) ? 'tab' : 'server', serverId };
}

/** The user's name for a server of either place, also for one that is gone. */
export function labelOfServer(serverId: string): string {
  const found = [...servers.list, ...mcpStore.list].find(({ id }) => id === serverId);
  return found === undefined ? showName(serverId) : serverLabel(found).name;
}
