import type { McpServerView } from '@toolyard/protocol';
import type { BrowserServerView } from '../mcp/types.ts';

/** A server as the panels show it: one of Toolyard's, or of this browser only. */
export type ShownServer = McpServerView | BrowserServerView;

export function isOfBrowser(server: ShownServer): server is BrowserServerView {
  return server.origin === 'browser';
}
