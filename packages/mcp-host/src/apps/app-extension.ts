import { isJsonObject } from '@toolyard/protocol';

/** The extension MCP Apps (SEP-1865): tools with a user interface in HTML. */
const APPS_EXTENSION = 'io.modelcontextprotocol/ui';
/** The MIME type of the HTML of an app. */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';

/** The capability of a client that can show apps. */
export const APPS_CAPABILITY: Readonly<Record<string, { mimeTypes: string[] }>> = {
  [APPS_EXTENSION]: { mimeTypes: [APP_MIME_TYPE] },
};

/** Who may call a tool. */
type ToolAudience = 'model' | 'app';

/** The part of a tool's definition that concerns apps. */
export type ToolUi = {
  /** The `ui://` resource with the app that shows results of this tool. */
  resourceUri?: string;
  /** Who may call the tool; both unless the server limits it. */
  visibility: readonly ToolAudience[];
};

const EVERYBODY: readonly ToolAudience[] = ['model', 'app'];

/** Reads `_meta.ui` of a listed tool; undefined if the tool has nothing to do with apps. */
export function readToolUi(meta: unknown): ToolUi | undefined {
  if (!isJsonObject(meta)) return undefined;
  const ui = isJsonObject(meta['ui']) ? meta['ui'] : {};
  // Before the extension had an object of its own, the URI was a flat key.
  const uri = ui['resourceUri'] ?? meta['ui/resourceUri'];
  const resourceUri = typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined;
  const limits = Array.isArray(ui['visibility']) ? ui['visibility'] : undefined;
  if (resourceUri === undefined && limits === undefined) return undefined;
  const visibility = limits === undefined ? EVERYBODY : EVERYBODY.filter((audience) => limits.includes(audience));
  return { ...(resourceUri === undefined ? {} : { resourceUri }), visibility };
}

/** False for a tool that only apps of its server may call. */
export function isForModel({ ui }: { ui?: ToolUi }): boolean {
  return ui === undefined || ui.visibility.includes('model');
}
