import type { IndexedTool } from '@toolyard/mcp-host';
import type { TabServer, TabTool } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { BrowserServerView } from './types.ts';

/** The announcement of these tools to the server. */
export function toTabServers(
  tools: readonly IndexedTool[],
  servers: readonly Pick<BrowserServerView, 'id' | 'transport' | 'instructions' | 'endpoint'>[],
): TabServer[] {
  return servers.flatMap(({ id, transport, instructions, endpoint }): TabServer[] => {
    const own = tools.filter(({ tool }) => tool.serverId === id).map(toTabTool);
    if (own.length === 0 || transport === null || !('url' in transport)) return [];
    return [{ id, url: transport.url, ...defined({ endpoint, instructions }), tools: own }];
  });
}

function toTabTool({ tool, title, description, inputSchema, outputSchema, annotations }: IndexedTool): TabTool {
  return {
    name: tool.name,
    ...defined({ title, description }),
    inputSchema,
    ...defined({ outputSchema, annotations }),
  };
}
