import type { ServerConfig } from '@toolyard/mcp-host';
import { serviceAddress, shownAddress } from '@toolyard/mcp-host';
import type { McpServerView } from '@toolyard/protocol';

/** How a server is reached, for people: no arguments, no environment, no headers, nothing of an address that may be a key. */
export function shownTransport({ transport }: ServerConfig): McpServerView['transport'] {
  if (transport.type === 'stdio') {
    return { type: 'stdio', command: transport.command.split(/[\\/]/).at(-1) ?? transport.command };
  }
  if (transport.type === 'hosted') {
    return { type: 'http', url: shownAddress(`${serviceAddress(transport)}/${encodeURIComponent(transport.server)}`) };
  }
  if (transport.type === 'in-memory') return { type: 'stdio', command: transport.name };
  return { type: transport.type, url: shownAddress(transport.url) };
}
