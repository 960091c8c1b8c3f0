import type { IndexedTool, ServerConfig, ServerHealth, SignInHealth } from '@toolyard/mcp-host';
import { definitionTokens, offersOf, redactedError, redactorFor, shownTransport } from '@toolyard/mcp-host';
import type {
  McpServerView,
  McpSignInView,
  McpToolDetail,
  McpToolView,
  PermissionView,
  ToolChange,
  ToolReference,
} from '@toolyard/protocol';
import { findDecision, defined, toErrorInfo } from '@toolyard/protocol';
import type { ConfiguredServer } from './configured-servers.ts';

/** Number of log lines shown, newest first. */
const LOG_LINES = 50;
/** Maximum length of shown instructions, in characters. */
const LONGEST_INSTRUCTIONS = 20_000;

export type ServerViewOptions = {
  server: ConfiguredServer;
  enabled: boolean;
  /** Absent if it cannot be connected at all. */
  health: ServerHealth | undefined;
  /** The tools of this server. */
  tools: readonly IndexedTool[];
  templates: number;
  /** Permissions that apply everywhere. */
  permissions: readonly PermissionView[];
  isToolOn: (tool: ToolReference) => boolean;
  /** Differences between a tool and its approved definition. */
  findChange: (tool: ToolReference) => ToolChange | undefined;
  isIsolated: (tool: IndexedTool) => boolean;
};

/** A server for its owner, without keys or environment. */
export function toServerView(options: ServerViewOptions): McpServerView {
  const { server, enabled, health, tools, templates } = options;
  const shown = tools.map((tool) => toToolView(tool, options));
  const base = {
    id: server.id,
    enabled,
    origin: server.origin,
    editable: server.origin === 'file',
  };
  if ('fault' in server || health === undefined) return { ...base, ...faulty(server, enabled) };

  const { config } = server;
  const redact = redactorFor(config);
  const {
    serverInfo = config.serverInfo,
    era,
    protocolVersion,
    instructions,
    capabilities,
    error,
    reconnect,
    launch,
  } = health;
  return {
    ...base,
    state: !enabled && health.state === 'idle' ? 'disabled' : health.state,
    builtIn: config.builtIn === true,
    ...(config.trusted === true ? { trusted: true } : {}),
    transport: shownTransport(config.transport, writtenArguments(server)?.map(redact)),
    ...defined({ serverInfo, era, protocolVersion }),
    ...(instructions === undefined ? {} : { instructions: instructions.slice(0, LONGEST_INSTRUCTIONS) }),
    ...defined({ capabilities }),
    ...(error === undefined ? {} : { error: redactedError(error, redact) }),
    phases: health.phases,
    ...(health.signIn === undefined ? {} : { signIn: toSignIn(health.signIn, redact) }),
    ...(launch === undefined ? {} : { launch: { ...launch, stderr: launch.stderr.map(redact) } }),
    ...defined({ reconnect }),
    offers: offersOf(health, tools.length, templates),
    tokens: shown.reduce((sum, tool) => sum + (tool.enabled ? tool.tokens : 0), 0),
    tools: shown,
    skipped: health.skipped,
    ...(health.interactive === true ? { interactive: true as const } : {}),
    ...(health.icon === undefined ? {} : { hasIcon: true as const }),
    ...getIsolation(config, health),
    log: health.log.slice(-LOG_LINES).map(({ at, level, text }) => ({ at, level, text: redact(text) })),
  };
}

/** True for a local server that can read every file of Toolyard's account. */
export function isUnsandboxed(config: ServerConfig, health: Pick<ServerHealth, 'isolation'> = {}): boolean {
  const { isolation } = config.builtIn === true ? {} : getIsolation(config, health);
  switch (isolation?.kind) {
    case 'unsandboxed':
    case 'unavailable':
      return true;
    case 'docker':
      return isolation.exposed;
    default:
      return false;
  }
}

/** Isolation of the running server; before its start, that of its entry. */
function getIsolation(
  { transport }: ServerConfig,
  health: Pick<ServerHealth, 'isolation'>,
): Pick<McpServerView, 'isolation'> {
  if (transport.type !== 'stdio') return {};
  if (health.isolation !== undefined) return { isolation: health.isolation };
  const { sandbox } = transport;
  if (sandbox === undefined || sandbox === false) return { isolation: { kind: 'unsandboxed' } };
  const network = Array.isArray(sandbox.network) ? 'hosts' : (sandbox.network ?? 'on');
  return { isolation: { kind: 'sandboxed', network, blocked: [], proposed: [] } };
}

/** Unexpanded: variables may hold secrets. Undefined for servers without an entry. */
function writtenArguments(server: ConfiguredServer): readonly string[] | undefined {
  if (server.origin !== 'file' || server.written?.type !== 'stdio') return undefined;
  return server.written.args ?? [];
}

/** Texts of the authorization server may repeat what was sent to it. */
function toSignIn(signIn: SignInHealth, redact: (text: string) => string): McpSignInView {
  const hops = signIn.hops.map((hop) => (hop.said === undefined ? hop : { ...hop, said: redact(hop.said) }));
  return { ...signIn, hops };
}

/** A server with an invalid entry. */
function faulty(
  server: ConfiguredServer,
  enabled: boolean,
): Omit<McpServerView, 'id' | 'enabled' | 'origin' | 'editable'> {
  return {
    state: enabled ? 'failed' : 'disabled',
    builtIn: false,
    transport: null,
    ...getFileLocation(server),
    ...('fault' in server ? { error: toErrorInfo(server.fault) } : {}),
    phases: [],
    offers: { tools: 0 },
    tokens: 0,
    tools: [],
    skipped: [],
    log: [],
  };
}

function getFileLocation(server: ConfiguredServer): Pick<McpServerView, 'fault' | 'approval'> {
  if (server.origin !== 'file') return {};
  const { line, unapproved, isHeld = false } = server;
  return {
    ...('fault' in server && !isHeld ? { fault: { file: 'mcp.json', line } } : {}),
    ...(unapproved === undefined ? {} : { approval: { hash: unapproved.hash, isNew: unapproved.isNew } }),
  };
}

type ToolViewOptions = Pick<ServerViewOptions, 'permissions' | 'isToolOn' | 'findChange' | 'isIsolated'>;

function toToolView(
  listed: IndexedTool,
  { permissions, isToolOn, findChange, isIsolated }: ToolViewOptions,
): McpToolView {
  const { tool, name, title, description, annotations, ui } = listed;
  const change = findChange(tool);
  return {
    tool,
    name,
    ...defined({ title, description }),
    readOnly: annotations?.readOnly === true,
    ...defined({ annotations }),
    ...(ui === undefined ? {} : { ui: { ...ui, visibility: [...ui.visibility] } }),
    ...(isIsolated(listed) ? { isolated: true as const } : {}),
    permission: findDecision(tool, permissions) ?? null,
    enabled: isToolOn(tool),
    tokens: getCost(listed),
    ...(change === undefined ? {} : { changed: { hasMoved: change.hasMoved, differences: change.differences } }),
  };
}

/** A tool with its schemas. */
export function toToolDetail(listed: IndexedTool, options: ToolViewOptions): McpToolDetail {
  const { inputSchema, outputSchema } = listed;
  return {
    ...toToolView(listed, options),
    inputSchema,
    ...defined({ outputSchema }),
  };
}

/** Server lists are requested often, and definitions change rarely. */
const costs = new WeakMap<IndexedTool, number>();

function getCost(tool: IndexedTool): number {
  const known = costs.get(tool);
  if (known !== undefined) return known;
  const cost = definitionTokens(tool);
  costs.set(tool, cost);
  return cost;
}
