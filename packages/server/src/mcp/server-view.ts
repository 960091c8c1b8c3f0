import type { IndexedTool, ServerHealth } from '@toolyard/mcp-host';
import { redactorFor } from '@toolyard/mcp-host';
import type {
  ErrorInfo,
  McpServerView,
  McpToolView,
  PermissionView,
  ToolChange,
  ToolReference,
} from '@toolyard/protocol';
import type { ConfiguredServer } from './configured-servers.ts';
import { shownTransport } from './redact.ts';

/** How many lines of its log are shown of a server, the newest ones. */
const LOG_LINES = 50;

export type ServerViewOptions = {
  server: ConfiguredServer;
  enabled: boolean;
  health: ServerHealth;
  /** Those of this server. */
  tools: readonly IndexedTool[];
  /** What was decided about tools for everywhere. */
  permissions: readonly PermissionView[];
  /** How a tool differs from what was approved of it. */
  changeOf: (tool: ToolReference) => ToolChange | undefined;
};

/** A server as its owner sees it: nothing in it tells a key, an argument or an environment. */
export function toServerView(options: ServerViewOptions): McpServerView {
  const { server, enabled, health, tools, permissions, changeOf } = options;
  const { config, origin } = server;
  const redact = redactorFor(config);
  const { serverInfo, era, protocolVersion, error } = health;
  return {
    id: config.id,
    state: !enabled && health.state === 'idle' ? 'disabled' : health.state,
    enabled,
    builtIn: config.builtIn === true,
    origin,
    transport: shownTransport(config),
    ...(serverInfo === undefined ? {} : { serverInfo }),
    ...(era === undefined ? {} : { era }),
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
    ...(error === undefined ? {} : { error: redacted(error, redact) }),
    tools: tools.map((tool) => toToolView(tool, permissions, changeOf(tool.tool))),
    skipped: health.skipped,
    log: health.log.slice(-LOG_LINES).map(({ at, level, text }) => ({ at, level, text: redact(text) })),
  };
}

function redacted(error: ErrorInfo, redact: (text: string) => string): ErrorInfo {
  const { message, hint } = error;
  return { ...error, message: redact(message), ...(hint === undefined ? {} : { hint: redact(hint) }) };
}

function toToolView(
  { tool, title, description, annotations }: IndexedTool,
  permissions: readonly PermissionView[],
  change: ToolChange | undefined,
): McpToolView {
  const decided = permissions.find((each) => each.tool.serverId === tool.serverId && each.tool.name === tool.name);
  return {
    tool,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    readOnly: annotations?.readOnly === true,
    ...(annotations === undefined ? {} : { annotations }),
    permission: decided?.decision ?? null,
    ...(change === undefined ? {} : { changed: { hasMoved: change.hasMoved, differences: change.differences } }),
  };
}
