import type { Client } from '@modelcontextprotocol/client';
import { defined } from '@toolyard/protocol';
import type { ServerHealth } from '../types.ts';

/** What a server reported about itself when it was initialized. */
export function serverIdentity(client: Client): Pick<ServerHealth, 'protocolVersion' | 'serverInfo' | 'instructions'> {
  const protocolVersion = client.getNegotiatedProtocolVersion();
  const server = client.getServerVersion();
  const instructions = client.getInstructions();
  const title = server?.title === undefined ? {} : { title: server.title };
  return {
    ...defined({ protocolVersion }),
    ...(server === undefined ? {} : { serverInfo: { name: server.name, version: server.version, ...title } }),
    ...defined({ instructions }),
  };
}

/** The capabilities of a server other than tools. */
export function capabilitiesIn(client: Client): NonNullable<ServerHealth['capabilities']> {
  const offered = client.getServerCapabilities();
  return {
    resources: offered?.resources !== undefined,
    subscribe: offered?.resources?.subscribe === true,
    prompts: offered?.prompts !== undefined,
    completions: offered?.completions !== undefined,
    logging: offered?.logging !== undefined,
  };
}
