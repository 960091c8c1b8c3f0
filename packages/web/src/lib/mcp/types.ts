import type { IndexedTool, McpHost, ServerHealth } from '@toolyard/mcp-host';
import type { McpServerView, McpTestReport } from '@toolyard/protocol';
import type { BrowserServerEntry, BrowserTransport } from './server-entries.ts';

/** A server of this browser only, as the panels show it: like one of the server's, and how it is kept. */
export type BrowserServerView = Omit<McpServerView, 'origin'> & {
  origin: 'browser';
  entry: BrowserServerEntry;
  /** Headers whose values this tab does not know: it is not connected before they are entered again. */
  missingHeaders: string[];
  health?: ServerHealth;
};

/** What a person enters of a server. */
export type BrowserServerDraft = {
  name: string;
  transport: BrowserTransport;
  url: string;
  headers: Record<string, string>;
  enabled: boolean;
  useProxy: boolean;
  /** True writes the values of headers to LocalStorage; otherwise they last as long as the session of this tab. */
  keepSecrets: boolean;
};

/** The half that brings the MCP client along; loaded when there is a server to connect to. */
export type TabHost = {
  createTabHost: (usesProxy: (serverId: string) => boolean) => McpHost;
  /** What the definition of a tool costs in every request, estimated. */
  definitionTokens: (tool: IndexedTool) => number;
  testServer: (draft: BrowserServerDraft, signal?: AbortSignal) => Promise<McpTestReport>;
};
