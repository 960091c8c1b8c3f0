import { z } from 'zod';
import {
  errorInfo,
  jsonObject,
  named,
  namedObject,
  createPageSchema,
  timestamp,
  toolAnnotations,
  toolChange,
  toolReference,
  textTemplates,
} from './common.ts';

const phase = z.enum([
  'transport_creating',
  'transport_ready',
  'initializing',
  'capabilities_exchanged',
  'listing',
  'connected',
  'error',
  'disconnected',
]);
export type McpPhase = z.output<typeof phase>;
export const mcpPhase = named('McpPhase', phase);

const toolFields = {
  tool: toolReference,
  /** The model-facing name. */
  name: z.string(),
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  readOnly: z.boolean(),
  /** Annotations that the server declares, if any. */
  annotations: toolAnnotations.exactOptional(),
  /** It reaches nothing but its arguments: texts in them are not flagged as dangerous. */
  isolated: z.literal(true).exactOptional(),
  permission: z.enum(['allow', 'never']).nullable(),
  /** The default; false if the tool is switched off for every conversation. */
  enabled: z.boolean(),
  /** Estimated tokens of its definition in every request. */
  tokens: z.int(),
  /** Its app (MCP Apps), and who may call it. */
  ui: z
    .strictObject({ resourceUri: z.string().exactOptional(), visibility: z.array(z.enum(['model', 'app'])) })
    .exactOptional(),
  /** Set if the definition changed since it was approved: calls ask again, whatever was allowed. */
  changed: toolChange.exactOptional(),
};

const mcpTool = namedObject('McpToolView', toolFields);
export type McpToolView = z.output<typeof mcpTool>;

const mcpToolDetail = namedObject('McpToolDetail', {
  ...toolFields,
  inputSchema: jsonObject,
  outputSchema: jsonObject.exactOptional(),
});
/** A tool with its schemas. */
export type McpToolDetail = z.output<typeof mcpToolDetail>;
export const mcpToolPage = createPageSchema('McpToolPage', mcpToolDetail);

export const offers = z.strictObject({
  tools: z.int(),
  resources: z.int().exactOptional(),
  templates: z.int().exactOptional(),
  prompts: z.int().exactOptional(),
});
/** How many of each a server offers; absent until they are listed. */
export type McpOffers = z.output<typeof offers>;

export const transportView = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('stdio'),
    command: z.string(),
    /** As written in `mcp.json`, with values that may be secret replaced. */
    args: z.array(z.string()).exactOptional(),
  }),
  /** `plugin`: the URL of its manifest or OpenAPI document. */
  z.strictObject({ type: z.enum(['http', 'sse', 'websocket', 'plugin']), url: z.string() }),
]);
/** A transport without anything that may be a secret: no environment, headers or secret arguments. */
export type McpTransportView = z.output<typeof transportView>;

/** How a server introduces itself. */
export const introduction = {
  serverInfo: z
    .strictObject({ name: z.string(), version: z.string(), title: z.string().exactOptional() })
    .exactOptional(),
  era: z.enum(['legacy', 'modern']).exactOptional(),
  protocolVersion: z.string().exactOptional(),
  instructions: z.string().exactOptional(),
  capabilities: z
    .strictObject({
      resources: z.boolean(),
      subscribe: z.boolean(),
      prompts: z.boolean(),
      completions: z.boolean(),
      logging: z.boolean(),
    })
    .exactOptional(),
};

export const skipped = z.array(z.strictObject({ name: z.string(), reason: z.string() }));
export const logLevel = z.enum(['info', 'warning', 'error']);
export const logLines = z.array(z.strictObject({ at: timestamp, level: logLevel, text: z.string() }));

const signInView = namedObject('McpSignInView', {
  state: z.enum(['signed_out', 'signing_in', 'signed_in']),
  /** The authorization server of the current or last sign-in. */
  issuer: z.string().exactOptional(),
  /** The scopes that Toolyard has there, separated by spaces. */
  scope: z.string().exactOptional(),
  /** The scopes that the next sign-in requests, if the server named them. */
  wanted: z.string().exactOptional(),
  /** The requests of the last sign-in or token refresh and their results, oldest first. */
  hops: z.array(
    z.strictObject({
      at: timestamp,
      step: z.string(),
      request: z.string(),
      status: z.int().exactOptional(),
      said: z.string().exactOptional(),
    }),
  ),
});
/** The state of the sign-in to a server. */
export type McpSignInView = z.output<typeof signInView>;

export const mcpSignInStarted = namedObject('McpSignInStarted', { url: z.string(), issuer: z.string() });
/** `POST /api/mcp/servers/:id/sign-in`: the URL for the user to open. */
export type McpSignInStarted = z.output<typeof mcpSignInStarted>;

export const isolation = named(
  'McpIsolation',
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('sandboxed'),
      network: z.enum(['on', 'off', 'hosts']),
      /** Accesses that the sandbox denied. */
      blocked: z.array(z.strictObject({ kind: z.enum(['host', 'path']), target: z.string() })),
      /** Paths in its arguments that the sandbox hides. */
      proposed: z.array(z.string()),
    }),
    /** It can read everything that Toolyard's account can read. */
    z.strictObject({ kind: z.literal('unsandboxed') }),
    /** As `unsandboxed`, although its entry asks for a sandbox: the system has none. */
    z.strictObject({
      kind: z.literal('unavailable'),
      reason: z.string(),
      hint: z.string(),
      templates: textTemplates.exactOptional(),
    }),
    /** Docker isolates it, as far as these flags allow. `exposed`: they give access to the machine. */
    z.strictObject({ kind: z.literal('docker'), flags: z.array(z.string()), exposed: z.boolean() }),
  ]),
);
/** How a local server (stdio) is isolated from the rest of the machine. */
export type McpIsolation = z.output<typeof isolation>;
/** An access that a sandbox denied: to a host, or to a file or folder. */
export type McpBlockedAccess = Extract<McpIsolation, { kind: 'sandboxed' }>['blocked'][number];

export const mcpServerView = namedObject('McpServerView', {
  ...introduction,
  id: z.string(),
  state: z.enum(['idle', 'connecting', 'ready', 'reconnecting', 'needs_sign_in', 'failed', 'disabled']),
  /** The default; a conversation can override it. */
  enabled: z.boolean(),
  builtIn: z.boolean(),
  /** Set if the operator trusts its annotations: `"trusted": true` in `mcp.json`. */
  trusted: z.literal(true).exactOptional(),
  origin: z.enum(['built-in', 'file', 'flag']),
  /** True if it can be edited and removed over the API: it is in `mcp.json`. */
  editable: z.boolean(),
  /** Null if its entry is invalid. */
  transport: transportView.nullable(),
  /** Set if its entry in `mcp.json` is invalid: the server is not connected, `error` says why. */
  fault: z.strictObject({ file: z.string(), line: z.int() }).exactOptional(),
  /**
   * Set while its entry in `mcp.json` differs from the approved one: the server is not started. `isNew`: no entry
   * with this id was ever approved.
   */
  approval: z.strictObject({ hash: z.string(), isNew: z.boolean() }).exactOptional(),
  error: errorInfo.exactOptional(),
  /** Phases of the current or last connection, and when each began. */
  phases: z.array(z.strictObject({ phase, at: timestamp })),
  /**
   * Set until a launcher (`npx`, `uvx`, …) has started the server: the start time and the last lines of standard
   * error.
   */
  launch: z.strictObject({ launcher: z.string(), since: timestamp, stderr: z.array(z.string()) }).exactOptional(),
  /** While `reconnecting`, or `failed` with attempts left: the number of the current or next attempt and, before it, its time. */
  reconnect: z.strictObject({ attempt: z.int(), of: z.int(), at: timestamp.exactOptional() }).exactOptional(),
  /** Sign-in state, if the server supports signing in. */
  signIn: signInView.exactOptional(),
  offers,
  /** Estimated tokens of its enabled tools in every request. */
  tokens: z.int(),
  tools: z.array(mcpTool),
  skipped,
  /** It sends requests without naming the call they belong to: each conversation gets a connection of its own. */
  interactive: z.literal(true).exactOptional(),
  /** It sent an icon; `/icon` has it. */
  hasIcon: z.literal(true).exactOptional(),
  /** Isolation of a local server (stdio); before its first start, what its entry asks for. */
  isolation: isolation.exactOptional(),
  /** The end of its log; `/log` has all of it. */
  log: logLines,
});
export type McpServerView = z.output<typeof mcpServerView>;
export type McpCapabilities = NonNullable<McpServerView['capabilities']>;
/** MCP servers: state, tools and changes. Times are milliseconds since 1970. */
export type McpServerState = McpServerView['state'];

export const mcpServerIcon = namedObject('McpServerIcon', { src: z.string() });
/** The icon of a server as a `data:` URL of a checked image. */
export type McpServerIcon = z.output<typeof mcpServerIcon>;

export const mcpServerList = namedObject('McpServerList', {
  items: z.array(mcpServerView),
  fileFault: errorInfo.exactOptional(),
});
/** All servers; `file` is set if `mcp.json` as a whole is invalid: its last valid content stays in effect. */
export type McpServerList = z.output<typeof mcpServerList>;

export const mcpEntryApproval = namedObject('McpEntryApproval', {
  id: z.string(),
  file: z.string(),
  line: z.int(),
  text: z.string(),
  hash: z.string(),
  isNew: z.boolean(),
  contacts: z.array(z.string()),
  variables: z.array(z.string()),
});
/**
 * An entry that needs approval, since neither the page nor the CLI wrote it. `text` contains everything that decides
 * what is started or contacted, with hidden characters written out and literal keys of remote servers left out; `hash`
 * identifies it, keys included. `contacts` are the hosts it connects to, `variables` those of Toolyard that it uses.
 */
export type McpEntryApproval = z.output<typeof mcpEntryApproval>;

export const approveMcpEntryBody = namedObject('ApproveMcpEntry', { hash: z.string().min(1).max(200) });
/** Approves the entry whose text has this hash. */
export type ApproveMcpEntry = z.output<typeof approveMcpEntryBody>;

export const changeMcpServerBody = namedObject('ChangeMcpServer', {
  enabled: z.boolean().exactOptional(),
  tools: z.record(z.string().min(1).max(1_000), z.boolean()).exactOptional(),
});
/** Enables or disables a server, or some of its tools by their own names; absent fields stay. */
export type ChangeMcpServer = z.output<typeof changeMcpServerBody>;
/** How a server introduces itself. */
export type McpIntroduction = Pick<
  McpServerView,
  'serverInfo' | 'era' | 'protocolVersion' | 'instructions' | 'capabilities'
>;
