import type { IndexedTool, McpHost, ServerHealth } from '@toolyard/mcp-host';
import type { McpServerView, McpTestReport } from '@toolyard/protocol';
import type { BrowserServerEntry, BrowserTransport } from './server-entries.ts';

/** A server of this browser as shown in the panels: like one of the server, and how it is stored. */
export type BrowserServerView = Omit<McpServerView, 'origin'> & {
  origin: 'browser';
  entry: BrowserServerEntry;
  /** Headers whose values this tab does not know: the server is connected after they are entered again. */
  missingHeaders: string[];
  /** Hash of how it is reached, once it is known. */
  endpoint?: string;
  health?: ServerHealth;
};

/** The values a user enters for a server. */
export type BrowserServerDraft = {
  name: string;
  transport: BrowserTransport;
  url: string;
  headers: Record<string, string>;
  enabled: boolean;
  useProxy: boolean;
  /** True stores header values in local storage; otherwise they last for the session of this tab. */
  keepSecrets: boolean;
};

/** The part that imports the MCP client; loaded when there is a server to connect to. */
export type TabHost = {
  createTabHost: (usesProxy: (serverId: string) => boolean) => McpHost;
  /** Estimated tokens of a tool's definition in every request. */
  definitionTokens: (tool: IndexedTool) => number;
  testServer: (draft: BrowserServerDraft, signal?: AbortSignal) => Promise<McpTestReport>;
};
