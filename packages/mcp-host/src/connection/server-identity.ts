import type { Client } from '@modelcontextprotocol/client';
import { defined } from '@toolyard/protocol';
import { readIcons } from '../catalogue/read-icons.ts';
import type { ServerHealth } from '../types.ts';

/** In characters: the icon is part of the health, which processes exchange. */
const MAX_ICON_LENGTH = 64 * 1_024;

/** What a server reported about itself when it was initialized. */
export function serverIdentity(
  client: Client,
): Pick<ServerHealth, 'protocolVersion' | 'serverInfo' | 'icon' | 'instructions'> {
  const protocolVersion = client.getNegotiatedProtocolVersion();
  const server = client.getServerVersion();
  const instructions = client.getInstructions();
  const title = server?.title === undefined ? {} : { title: server.title };
  const listed = server?.icons?.map(({ src, mimeType, sizes, theme }) => ({
    src,
    ...defined({ mimeType, sizes, theme }),
  }));
  const icon = readIcons(listed)?.find(({ src }) => src.length <= MAX_ICON_LENGTH);
  return {
    ...defined({ protocolVersion, icon }),
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
