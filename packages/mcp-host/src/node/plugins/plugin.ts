import type { JsonObject } from '@toolyard/protocol';

/** `default`: results go to the model; `markdown`: to the user; `standalone`: a call only shows the plugin's page. */
export type PluginKind = 'default' | 'markdown' | 'standalone';

/** An HTTP request to a plugin or its gateway. */
export type PluginRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** Values in it that must not be shown; with any, redirects are not followed. */
  secrets: readonly string[];
};

export type PluginTool = {
  name: string;
  description?: string;
  inputSchema: JsonObject;
  /** Where calls go, as the user approves it: `POST https://example.com/api`. */
  endpoint: string;
  readOnly: boolean;
  /**
   * Absent if a call makes no request.
   *
   * @throws ToolyardError `invalid_arguments`; `bad_config` if a setting is missing
   */
  request?: (args: JsonObject, settings: JsonObject) => PluginRequest;
};

/** A legacy plugin, read from its manifest or OpenAPI document. All texts are untrusted. */
export type Plugin = {
  identifier: string;
  title: string;
  kind: PluginKind;
  /** Whether the URL names a manifest or an OpenAPI document. */
  source: 'manifest' | 'openapi';
  description?: string;
  homepage?: string;
  /** The manifest's text for the system prompt. */
  instructions?: string;
  /** An MCP server that replaces it, if the manifest names one. */
  mcpUrl?: string;
  /** JSON Schema of its settings; null if it has none. */
  settings: JsonObject | null;
  tools: readonly PluginTool[];
  /** The page that shows calls. */
  page?: { url: string; height?: number };
  /** What was left out of the document, and why. */
  notes: readonly string[];
};
