import type { McpServerView } from '@toolyard/protocol';
import type { BrowserServerView } from '../mcp/types.ts';
import type { ServerRef } from '../resources/server-requests.ts';

/** A server as shown in the panels: one of Toolyard's, or of this browser only. */
export type ShownServer = McpServerView | BrowserServerView;

/** True if its entry in `mcp.json` needs approval before it is started. */
export function needsApproval<Server extends ShownServer>(
  server: Server,
): server is Server & { approval: NonNullable<McpServerView['approval']> } {
  return 'approval' in server && server.approval !== undefined;
}

export function isOfBrowser(server: ShownServer): server is BrowserServerView {
  return server.origin === 'browser';
}

export function serverRef({ id, origin }: ShownServer): ServerRef {
  return { place: origin === 'browser' ? 'tab' : 'server', serverId: id };
}
