import type { IndexedTool, ServerHealth } from '@toolyard/mcp-host';
import type { McpToolView } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { BrowserServerEntry } from './server-entries.ts';
import type { BrowserServerView } from './types.ts';

type ViewInputs = {
  health: ServerHealth | undefined;
  tools: readonly IndexedTool[];
  templateCount: number;
  getCost: (tool: IndexedTool) => number;
  /** Why the browser cannot connect (CORS), if known. */
  corsProblem: string | undefined;
  missing: string[];
  endpoint: string | undefined;
};

/** How many log lines of a server are shown, newest last. */
const LOG_LINES = 50;

/** A server of this browser as shown in the panels; it contains no header values. */
export function toBrowserServerView(
  entry: BrowserServerEntry,
  { health, tools, templateCount, getCost, corsProblem, missing, endpoint }: ViewInputs,
): BrowserServerView {
  const url = new URL(entry.url);
  return {
    id: entry.id,
    state: missing.length > 0 ? 'needs_sign_in' : (health?.state ?? (entry.enabled ? 'idle' : 'disabled')),
    enabled: entry.enabled,
    builtIn: false,
    origin: 'browser',
    transport: { type: entry.transport, url: `${url.protocol}//${url.host}${url.pathname}` },
    entry,
    missingHeaders: missing,
    ...(health?.serverInfo === undefined ? {} : { serverInfo: health.serverInfo }),
    ...(health?.era === undefined ? {} : { era: health.era }),
    ...(health?.protocolVersion === undefined ? {} : { protocolVersion: health.protocolVersion }),
    ...defined({ health, endpoint }),
    ...getServerError(health, missing, corsProblem),
    ...(health?.icon === undefined ? {} : { hasIcon: true as const }),
    ...(health?.instructions === undefined ? {} : { instructions: health.instructions }),
    ...(health?.capabilities === undefined ? {} : { capabilities: health.capabilities }),
    ...(health?.signIn === undefined ? {} : { signIn: health.signIn }),
    ...(health?.interactive === true ? { interactive: true as const } : {}),
    ...(health?.reconnect === undefined ? {} : { reconnect: health.reconnect }),
    editable: true,
    phases: health?.phases ?? [],
    offers: {
      tools: tools.length,
      ...(health?.resourceCount === undefined ? {} : { resources: health.resourceCount, templates: templateCount }),
      ...(health?.promptCount === undefined ? {} : { prompts: health.promptCount }),
    },
    tokens: tools.reduce((sum, tool) => sum + getCost(tool), 0),
    tools: tools.map((definition) => toToolView(definition, getCost(definition))),
    skipped: health?.skipped ?? [],
    log: (health?.log ?? []).slice(-LOG_LINES).map(({ at, level, text }) => ({ at, level, text })),
  };
}

function getServerError(
  health: ServerHealth | undefined,
  missing: readonly string[],
  obstacle: string | undefined,
): Pick<BrowserServerView, 'error'> {
  if (missing.length === 0) {
    if (health?.error === undefined) return {};
    if (obstacle === undefined) return { error: health.error };
    const hint = `${obstacle} Change that on the server, or connect through Toolyard's proxy.`;
    return { error: { ...health.error, hint } };
  }
  return {
    error: {
      code: 'needs_sign_in',
      message: `The values of these headers were stored for the session of a tab only: ${missing.join(', ')}.`,
      hint: 'Edit the server and enter them again.',
    },
  };
}

function toToolView({ tool, name, title, description, annotations, ui }: IndexedTool, tokens: number): McpToolView {
  return {
    tool,
    name,
    ...defined({ title, description }),
    readOnly: annotations?.readOnly === true,
    ...defined({ annotations }),
    ...(ui === undefined ? {} : { ui: { ...ui, visibility: [...ui.visibility] } }),
    permission: null,
    enabled: true,
    tokens,
  };
}
