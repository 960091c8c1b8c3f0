import type { McpLogEntry } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { mcpStore } from '../../mcp/mcp-store.svelte.ts';
import { serverApi } from '../server-api.ts';
import type { ShownServer } from '../shown-server.ts';
import { isOfBrowser } from '../shown-server.ts';
import type { ReadLog } from './log-follower.svelte.ts';

/** What reads the log of a server of either place. */
export function createLogReader(server: ShownServer): ReadLog {
  const { id } = server;
  return isOfBrowser(server) ? readBrowserLog(id) : (after) => serverApi.log(id, after);
}

/** The log of a server of this browser: recorded by the tab, returned in full each time. */
function readBrowserLog(serverId: string): ReadLog {
  return async () => {
    const events = (mcpStore.health.get(serverId)?.log ?? []).map((entry, index): McpLogEntry => ({
      id: `event-${String(index)}-${String(entry.at)}`,
      kind: 'event',
      ...entry,
    }));
    const messages = mcpStore.wireLog(serverId).map(({ kind, id, ...entry }, index): McpLogEntry => ({
      ...entry,
      id: `message-${String(index)}-${String(entry.at)}`,
      kind: 'message',
      message: kind,
      ...defined({ requestId: id }),
    }));
    return { items: [...events, ...messages].sort((a, b) => a.at - b.at), next: '', whole: true };
  };
}
