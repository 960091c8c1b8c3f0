import { unseenPin } from '@toolyard/mcp-host';
import { formatToolReference, originOf } from '@toolyard/protocol';
import type { ServerList } from './server-list.ts';
import type { ServersOptions } from './servers-options.ts';
import { hasPin, storePin } from './stored-pins.ts';

/**
 * Assigns an origin to permissions of earlier versions, now that the servers of `mcp.json` are known. An allowed server
 * tool without a pin (earlier versions did not pin tools of servers called `browser-…`) gets one that matches no
 * definition, so that its next call asks. Returns true if pins were written.
 */
export async function assignOrigins(
  { permissions, ...of }: Pick<ServersOptions, 'permissions' | 'settings' | 'owner' | 'clock'>,
  serverList: Pick<ServerList, 'find'>,
): Promise<boolean> {
  const allowed = await permissions.settleOrigins((tool) => originOf(tool, (id) => serverList.find(id) !== undefined));
  let wrote = false;
  for (const tool of allowed) {
    const server = serverList.find(tool.serverId);
    const isPinned = tool.origin === 'server' && server !== undefined && server.origin !== 'built-in';
    if (!isPinned || (await hasPin(of, formatToolReference(tool)))) continue;
    await storePin(of, tool, unseenPin(''));
    wrote = true;
  }
  return wrote;
}
