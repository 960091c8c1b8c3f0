import { z } from 'zod';
import {
  errorInfo,
  jsonObject,
  named,
  pageOf,
  timestamp,
  toolAnnotations,
  toolChange,
  toolReference,
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
  /** What models call it by. */
  name: z.string(),
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  readOnly: z.boolean(),
  /** What its server says it may do, where it says anything. */
  annotations: toolAnnotations.exactOptional(),
  permission: z.enum(['allow', 'never']).nullable(),
  /** Its own default; false for one that is switched off for every conversation. */
  enabled: z.boolean(),
  /** What its definition costs in every request, estimated in tokens. */
  tokens: z.int(),
  /** It was approved, and is not what it was then: it is asked about again, whatever is allowed. */
  changed: toolChange.exactOptional(),
};

const mcpTool = named('McpToolView', z.strictObject(toolFields));
export type McpToolView = z.output<typeof mcpTool>;

const mcpToolDetail = named(
  'McpToolDetail',
  z.strictObject({ ...toolFields, inputSchema: jsonObject, outputSchema: jsonObject.exactOptional() }),
);
/** A tool with its schemas. */
export type McpToolDetail = z.output<typeof mcpToolDetail>;
export const mcpToolPage = pageOf('McpToolPage', mcpToolDetail);

export const offers = z.strictObject({
  tools: z.int(),
  resources: z.int().exactOptional(),
  templates: z.int().exactOptional(),
  prompts: z.int().exactOptional(),
});
/** How many of each a server offers; absent until they are listed. */
export type McpOffers = z.output<typeof offers>;

export const transportView = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('stdio'), command: z.string() }),
  z.strictObject({ type: z.enum(['http', 'sse', 'websocket']), url: z.string() }),
]);
/** How a server is reached, for people: no arguments, no environment, no headers, nothing that may be a key. */
export type McpTransportView = z.output<typeof transportView>;

/** What a server says of itself. */
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

const signInView = named(
  'McpSignInView',
  z.strictObject({
    state: z.enum(['signed_out', 'signing_in', 'signed_in']),
    /** Who asks for the password, or did. */
    issuer: z.string().exactOptional(),
    /** What Toolyard may do there; words with spaces between. */
    scope: z.string().exactOptional(),
    /** What is to be given with the next sign-in, where the server has said so. */
    wanted: z.string().exactOptional(),
    /** Of the last sign-in or renewal, oldest first: each request and what came of it. */
    hops: z.array(
      z.strictObject({
        at: timestamp,
        step: z.string(),
        request: z.string(),
        status: z.int().exactOptional(),
        said: z.string().exactOptional(),
      }),
    ),
  }),
);
/** How the sign-in to a server stands. */
export type McpSignInView = z.output<typeof signInView>;

export const mcpSignInStarted = named('McpSignInStarted', z.strictObject({ url: z.string(), issuer: z.string() }));
/** `POST /api/mcp/servers/:id/sign-in`: where a person has to go. */
export type McpSignInStarted = z.output<typeof mcpSignInStarted>;

const isolation = named(
  'McpIsolation',
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('sandboxed'),
      network: z.enum(['on', 'off', 'hosts']),
      /** What it tried and the sandbox refused. */
      blocked: z.array(z.strictObject({ kind: z.enum(['host', 'path']), target: z.string() })),
      /** Paths in its arguments that it cannot see. */
      proposed: z.array(z.string()),
    }),
    /** It can read what the account of Toolyard can read. */
    z.strictObject({ kind: z.literal('unsandboxed') }),
    /** The same, although its entry asks for a sandbox: the system has none. */
    z.strictObject({ kind: z.literal('unavailable'), reason: z.string(), hint: z.string() }),
    /** Docker isolates it, as far as these flags let it. `exposed`: they give it the machine. */
    z.strictObject({ kind: z.literal('docker'), flags: z.array(z.string()), exposed: z.boolean() }),
  ]),
);
/** How a local server (stdio) is isolated from the rest of the machine. */
export type McpIsolation = z.output<typeof isolation>;
/** What a sandbox refused: a host, or a file or folder. */
export type McpBlockedAccess = Extract<McpIsolation, { kind: 'sandboxed' }>['blocked'][number];

export const mcpServerView = named(
  'McpServerView',
  z.strictObject({
    ...introduction,
    id: z.string(),
    state: z.enum(['idle', 'connecting', 'ready', 'reconnecting', 'needs_sign_in', 'failed', 'disabled']),
    /** Its own default; a conversation may choose otherwise. */
    enabled: z.boolean(),
    builtIn: z.boolean(),
    /** Set where the owner believes what it says of its tools: `"trusted": true` in `mcp.json`. */
    trusted: z.literal(true).exactOptional(),
    origin: z.enum(['built-in', 'file', 'flag']),
    /** True where it can be edited and removed here: what stands in `mcp.json`. */
    editable: z.boolean(),
    /** Null where its entry cannot be read. */
    transport: transportView.nullable(),
    /** Set where its entry in `mcp.json` cannot be read: it is not connected, `error` says why. */
    fault: z.strictObject({ file: z.string(), line: z.int() }).exactOptional(),
    /**
     * Set while its entry in `mcp.json` is not the one that was approved: it is not started. `isNew`: nothing was ever
     * approved under this id.
     */
    approval: z.strictObject({ hash: z.string(), isNew: z.boolean() }).exactOptional(),
    error: errorInfo.exactOptional(),
    /** The phases of the connection of the moment, or of the last one, and when each began. */
    phases: z.array(z.strictObject({ phase, at: timestamp })),
    /** While a launcher (`npx`, `uvx`, …) has not answered yet: since when, and the last lines of its standard error. */
    launch: z.strictObject({ launcher: z.string(), since: timestamp, stderr: z.array(z.string()) }).exactOptional(),
    /** While `reconnecting`: which attempt this is or will be, and, while waiting, when it begins. */
    reconnect: z.strictObject({ attempt: z.int(), of: z.int(), at: timestamp.exactOptional() }).exactOptional(),
    /** Of a server one may sign in to: how that stands. */
    signIn: signInView.exactOptional(),
    offers,
    /** What the definitions of its tools cost in every request, estimated in tokens; those switched off cost nothing. */
    tokens: z.int(),
    tools: z.array(mcpTool),
    skipped,
    /** It sends requests without saying for which call: each conversation has a connection of its own. */
    interactive: z.literal(true).exactOptional(),
    /** Of a local server (stdio): how it is isolated; before its first start, what its entry asks for. */
    isolation: isolation.exactOptional(),
    /** The end of its log; the whole of it is at `/log`. */
    log: logLines,
  }),
);
export type McpServerView = z.output<typeof mcpServerView>;
export type McpCapabilities = NonNullable<McpServerView['capabilities']>;
/**
 * What goes over `/api/mcp`: the MCP servers, how they are, what they offer, and how they are changed. Times are
 * milliseconds since 1970.
 */
export type McpServerState = McpServerView['state'];

export const mcpServerList = named(
  'McpServerList',
  z.strictObject({ items: z.array(mcpServerView), fileFault: errorInfo.exactOptional() }),
);
/** All servers; `file` is set where `mcp.json` as a whole cannot be read: what it said before still counts then. */
export type McpServerList = z.output<typeof mcpServerList>;

export const mcpEntryApproval = named(
  'McpEntryApproval',
  z.strictObject({
    id: z.string(),
    file: z.string(),
    line: z.int(),
    text: z.string(),
    hash: z.string(),
    isNew: z.boolean(),
  }),
);
/**
 * The entry of a local server that needs approval, since it was written neither by the page nor by the CLI. `text` is
 * everything in it that decides what is started, environment included, with hidden characters written out; `hash`
 * stands for it.
 */
export type McpEntryApproval = z.output<typeof mcpEntryApproval>;

export const approveMcpEntryBody = named('ApproveMcpEntry', z.strictObject({ hash: z.string().min(1).max(200) }));
/** Approves the entry whose text has this hash, and no other. */
export type ApproveMcpEntry = z.output<typeof approveMcpEntryBody>;

export const changeMcpServerBody = named(
  'ChangeMcpServer',
  z.strictObject({
    enabled: z.boolean().exactOptional(),
    tools: z.record(z.string().min(1).max(1_000), z.boolean()).exactOptional(),
  }),
);
/** Switches a server, or some of its tools by their own names; what is absent stays. */
export type ChangeMcpServer = z.output<typeof changeMcpServerBody>;
/** What a server says of itself. */
export type McpIntroduction = Pick<
  McpServerView,
  'serverInfo' | 'era' | 'protocolVersion' | 'instructions' | 'capabilities'
>;
