import { join } from 'node:path';
import type { FunctionTools } from '@toolyard/agent-host';
import { defined } from '@toolyard/protocol';
import { OWNER } from '../http/types.ts';
import type { ConnectedServers } from '../mcp/servers.ts';
import { createServers } from '../mcp/servers.ts';
import { createSignInStore } from '../mcp/sign-in-store.ts';
import type { RemoteServers } from '../roles/remote-servers.ts';
import { createRemoteServers } from '../roles/remote-servers.ts';
import type { Stores } from './open-stores.ts';

/** The MCP servers that this process connects to; in a process that connects to none, those of the others. */
export async function createMcpServers(
  { options, overrides, capabilities, clock, log, storage, hub, secrets, cluster }: Stores,
  functions: FunctionTools,
): Promise<ConnectedServers | RemoteServers> {
  const isRelayed = cluster !== null && capabilities.servers === 'none';
  const common = {
    builtIn: [...options.builtInServers, ...functions.servers],
    functions,
    file: join(options.dataDir, 'mcp.json'),
    flags: options.flagServers,
    env: options.env,
    owner: OWNER,
    settings: storage.settings,
    permissions: storage.permissions,
    secrets,
    signIns: createSignInStore({ repository: storage.signIns, secrets, owner: OWNER, clock }),
    hub: isRelayed ? hub : (cluster?.hub ?? hub),
    clock,
    log,
  };
  if (isRelayed) {
    const servers = await createRemoteServers({ ...common, heartbeat: cluster.heartbeat, client: cluster.client });
    cluster.show(servers);
    return servers;
  }
  const { connectWaitMs } = overrides;
  const servers = await createServers({ ...common, ...defined({ ownership: cluster?.ownership, connectWaitMs }) });
  cluster?.have(servers);
  return servers;
}
