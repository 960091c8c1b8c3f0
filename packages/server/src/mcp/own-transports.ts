import type { FunctionTools } from '@toolyard/agent-host';
import type { CreateTransport, HostedServers, PluginConfig, ServerConfig, TransportConfig } from '@toolyard/mcp-host';
import { serviceAddress } from '@toolyard/mcp-host';
import { createNodeTransports } from '@toolyard/mcp-host/node';
import type { Fetch, JsonObject } from '@toolyard/protocol';
import type { OwnerFetches } from '../config/owner-fetches.ts';

export type OwnTransportsOptions = {
  fetches: OwnerFetches;
  hosted: HostedServers;
  pluginSettings: (serverId: string, config: PluginConfig) => Promise<JsonObject>;
  dataFolder: string;
  /** The functions of this process. */
  functions?: FunctionTools;
  /** False for servers that `mcp.json` does not list; their private folders are kept. */
  isListed: (serverId: string) => boolean;
  /** The configurations of all servers. */
  servers: () => readonly ServerConfig[];
};

/** Creates transports to servers from this process; network connections are guarded. */
export function createOwnTransports(options: OwnTransportsOptions): CreateTransport {
  const { fetches, hosted, pluginSettings, functions, dataFolder, isListed, servers } = options;
  const own: CreateTransport = (config, context) => {
    const address = getAddress(config);
    const listed = isListed(context.serverId) ? { listedIn: dataFolder } : {};
    return createNodeTransports({
      hosted,
      sandbox: { dataFolders: [dataFolder], servers, ...listed },
      pluginSettings,
      fetch:
        config.type === 'plugin' ? fetchForPlugin(fetches, config) : (input, init) => fetches.for(address)(input, init),
      openWebSocket: (url, init) => fetches.for(address).openWebSocket(url, init),
    })(config, context);
  };
  return functions?.transports(own) ?? own;
}

/** The owner entered two URLs of a plugin: that of its document, and perhaps that of a gateway. */
export function fetchForPlugin(fetches: OwnerFetches, { url, gateway }: PluginConfig): Fetch {
  return (input, init) => {
    const isGateway = gateway !== undefined && new URL(String(input)).origin === new URL(gateway).origin;
    return fetches.for(isGateway ? gateway : url)(input, init);
  };
}

/** The URL that the owner entered, which may be on this machine; other URLs that a server names may not. */
function getAddress(transport: TransportConfig): string {
  if (transport.type === 'hosted') return serviceAddress(transport);
  return 'url' in transport ? transport.url.replace(/^ws(s?):/i, 'http$1:') : '';
}
