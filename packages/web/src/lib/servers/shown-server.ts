import type { McpServerView } from '@toolyard/protocol';

/** A server as the panels show it: one of Toolyard's, or of this browser only. */
export type ShownServer = McpServerView;
