import { z } from 'zod';
import {
  errorInfo,
  jsonObject,
  jsonValue,
  named,
  namedObject,
  createPageSchema,
  timestamp,
  toolChange,
  textTemplates,
} from './common.ts';
import { logLevel, mcpPhase } from './mcp-servers.ts';
import { promptMessage, resourcePart, toolResult } from './parts.ts';
import { tabServer, tabTool } from './tabs.ts';

/** The name of a tool or prompt, or a URI, chosen by a server. */
const name = z.string().min(1).max(10_000);
const filled = z.record(z.string().min(1).max(1_000), z.string().max(100_000));

const about = { title: z.string().exactOptional(), description: z.string().exactOptional() };

export const callMcpToolBody = namedObject('CallMcpTool', { tool: name, arguments: jsonObject.exactOptional() });
export type CallMcpTool = z.output<typeof callMcpToolBody>;

export const testMcpToolBody = namedObject('TestMcpTool', {
  tool: name,
  arguments: jsonObject.exactOptional(),
  /** The user has seen why the call is flagged as dangerous. */
  evenIfFlagged: z.boolean().exactOptional(),
});
export type TestMcpTool = z.output<typeof testMcpToolBody>;
const mcpTestedCall = namedObject('McpTestedCall', {
  result: toolResult,
  durationMs: z.number(),
  /** The result of the server as received; absent if there was none, or if it is too large. */
  raw: jsonValue.exactOptional(),
  /** Set if the tool declares an output schema and did not fail. */
  structured: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('valid') }),
      z.strictObject({ kind: z.literal('missing') }),
      z.strictObject({ kind: z.literal('invalid'), fault: z.string() }),
    ])
    .exactOptional(),
});
export type McpTestedCall = z.output<typeof mcpTestedCall>;
export const mcpToolTest = named(
  'McpToolTest',
  z.discriminatedUnion('decision', [
    z.strictObject({ decision: z.literal('called'), call: mcpTestedCall }),
    z.strictObject({ decision: z.literal('flagged'), why: z.string(), templates: textTemplates.exactOptional() }),
    z.strictObject({ decision: z.literal('refused'), error: errorInfo }),
  ]),
);
/**
 * A call made by hand. It needs no further approval, but `flagged` calls need `evenIfFlagged`, and what a rule or a stored
 * decision forbids is `refused`.
 */
export type McpToolTest = z.output<typeof mcpToolTest>;

const mcpTask = namedObject('McpTaskView', {
  taskId: z.string(),
  /** `unknown`: the server no longer knows it. */
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled', 'unknown']),
  /** The tool whose call it is, if this process made the call. */
  tool: z.string().exactOptional(),
  text: z.string().exactOptional(),
  createdAt: timestamp.exactOptional(),
  updatedAt: timestamp.exactOptional(),
});
export type McpTaskView = z.output<typeof mcpTask>;
export const mcpTaskList = namedObject('McpTaskList', { items: z.array(mcpTask) });
export type McpTaskList = z.output<typeof mcpTaskList>;
export const mcpTaskBody = namedObject('McpTaskRequest', { taskId: name });

export const followMcpResourcesBody = namedObject('FollowMcpResources', { uris: z.array(name).min(1).max(100) });
export const mcpFollowedResources = namedObject('McpFollowedResources', {
  /** When to send the request again, in milliseconds; the subscriptions end some time after that. */
  renewAfterMs: z.int(),
  items: z.array(
    z.strictObject({
      uri: z.string(),
      /** Changes with every update of the resource; null if the server rejected the subscription. */
      version: z.string().nullable(),
      error: errorInfo.exactOptional(),
    }),
  ),
});
/** Subscriptions of a client that renews them. */
export type McpFollowedResources = z.output<typeof mcpFollowedResources>;

const mcpResource = namedObject('McpResourceView', {
  uri: z.string(),
  name: z.string(),
  ...about,
  mimeType: z.string().exactOptional(),
  /** In bytes. */
  size: z.number().exactOptional(),
  audience: z.array(z.enum(['user', 'assistant'])).exactOptional(),
  priority: z.number().exactOptional(),
  lastModified: z.string().exactOptional(),
});
export type McpResourceView = z.output<typeof mcpResource>;
export const mcpResourcePage = createPageSchema('McpResourcePage', mcpResource);

const mcpTemplate = namedObject('McpTemplateView', {
  uriTemplate: z.string(),
  name: z.string(),
  ...about,
  mimeType: z.string().exactOptional(),
});
/** Resources whose URI has parameters (RFC 6570). */
export type McpTemplateView = z.output<typeof mcpTemplate>;
export const mcpTemplatePage = createPageSchema('McpTemplatePage', mcpTemplate);

export const readMcpResourceBody = namedObject('ReadMcpResource', {
  uri: name,
  /** Asks the server even if the contents were read less than five minutes ago. */
  fresh: z.boolean().exactOptional(),
});
export type ReadMcpResource = z.output<typeof readMcpResourceBody>;
export const mcpResourceContents = namedObject('McpResourceContents', { contents: z.array(resourcePart) });
export type McpResourceContents = z.output<typeof mcpResourceContents>;

const origins = z.array(z.string()).max(50);

export const mcpAppDocument = namedObject('McpAppDocument', {
  uri: z.string(),
  html: z.string(),
  /** Origins the app connects to, which it declares; `https://*.example.com` covers all subdomains. */
  connect: origins,
  /** Origins of its scripts, styles, images, fonts and media. */
  resources: origins,
  /** Origins of frames inside it. */
  frames: origins,
  /** Allowed base URLs. */
  baseUris: origins,
  permissions: z.array(z.enum(['camera', 'microphone', 'geolocation', 'clipboard-write'])),
  prefersBorder: z.boolean().exactOptional(),
});
/** The user interface of a tool (MCP Apps), and what it declares to need. None of it is granted by this. */
export type McpAppDocument = z.output<typeof mcpAppDocument>;

export const callFromMcpAppBody = namedObject('CallFromMcpApp', {
  conversationId: z.string(),
  tool: name,
  arguments: jsonObject.exactOptional(),
  /** The user has allowed this very call. */
  approved: z.boolean().exactOptional(),
});
export type CallFromMcpApp = z.output<typeof callFromMcpAppBody>;
/** Nothing was called yet: the user decides. */
const appCallApproval = z.strictObject({
  decision: z.literal('ask'),
  /** Why the call is flagged as dangerous. */
  danger: z.string().exactOptional(),
  templates: textTemplates.exactOptional(),
  /** Set if the definition of the tool changed since it was approved. */
  changed: toolChange.exactOptional(),
  /** A rule asks about every such call: lasting answers have no effect. */
  byRule: z.literal(true).exactOptional(),
});
const refusedAppCall = z.strictObject({ decision: z.literal('refused'), error: errorInfo });
export const mcpAppCall = named(
  'McpAppCall',
  z.discriminatedUnion('decision', [
    z.strictObject({ decision: z.literal('called'), result: toolResult }),
    appCallApproval,
    refusedAppCall,
  ]),
);
/** A call requested by an app. `ask`: nothing was called yet, the user decides. */
export type McpAppCall = z.output<typeof mcpAppCall>;

export const checkTabAppCallBody = namedObject('CheckTabAppCall', {
  server: tabServer.pick({ id: true, url: true, endpoint: true }),
  tool: tabTool,
  arguments: jsonObject.exactOptional(),
});
/** A call that an app of a server of a tab requests; the tab makes it. */
export type CheckTabAppCall = z.output<typeof checkTabAppCallBody>;
export const appCallVerdict = named(
  'AppCallVerdict',
  z.discriminatedUnion('decision', [z.strictObject({ decision: z.literal('run') }), appCallApproval, refusedAppCall]),
);
/** Whether a call requested by an app may be made. */
export type AppCallVerdict = z.output<typeof appCallVerdict>;

const mcpPrompt = namedObject('McpPromptView', {
  serverId: z.string(),
  name: z.string(),
  ...about,
  arguments: z.array(z.strictObject({ name: z.string(), ...about, required: z.boolean() })),
});
export type McpPromptView = z.output<typeof mcpPrompt>;
export const mcpPromptList = namedObject('McpPromptList', {
  items: z.array(mcpPrompt),
  failures: z.array(z.strictObject({ serverId: z.string(), error: errorInfo })),
});
/** The prompts of all servers that are ready, and the servers that failed to list theirs. */
export type McpPromptList = z.output<typeof mcpPromptList>;

export const getMcpPromptBody = namedObject('GetMcpPrompt', { name, arguments: filled.exactOptional() });
export type GetMcpPrompt = z.output<typeof getMcpPromptBody>;
export const mcpFilledPrompt = namedObject('McpFilledPrompt', {
  description: z.string().exactOptional(),
  messages: z.array(promptMessage),
});
/** A prompt with its arguments applied: messages for a conversation, with their roles and content types. */
export type McpFilledPrompt = z.output<typeof mcpFilledPrompt>;

export const completeMcpArgumentBody = namedObject('CompleteMcpArgument', {
  target: z.union([z.strictObject({ prompt: name }), z.strictObject({ uriTemplate: name })]),
  argument: z.strictObject({ name, value: z.string().max(100_000) }),
  filledArguments: filled.exactOptional(),
});
/** Completes an argument of a prompt or of a resource template; `filledArguments` have values already. */
export type CompleteMcpArgument = z.output<typeof completeMcpArgumentBody>;
export const mcpCompletion = namedObject('McpCompletion', {
  values: z.array(z.string()),
  total: z.number().exactOptional(),
  hasMore: z.boolean(),
});
export type McpCompletion = z.output<typeof mcpCompletion>;

const mcpLogEntry = named(
  'McpLogEntry',
  z.discriminatedUnion('kind', [
    z.strictObject({
      id: z.string(),
      kind: z.literal('event'),
      at: timestamp,
      phase: mcpPhase,
      level: logLevel,
      text: z.string(),
    }),
    z.strictObject({
      id: z.string(),
      kind: z.literal('message'),
      at: timestamp,
      direction: z.enum(['sent', 'received']),
      message: z.enum(['request', 'notification', 'result', 'error']),
      method: z.string().exactOptional(),
      requestId: z.union([z.string(), z.number()]).exactOptional(),
      /** JSON, possibly truncated. */
      text: z.string(),
    }),
  ]),
);
/** An entry of a server's log: an event, or a JSON-RPC message, truncated and with secrets redacted. */
export type McpLogEntry = z.output<typeof mcpLogEntry>;
export const mcpLogPage = namedObject('McpLogPage', { items: z.array(mcpLogEntry), next: z.string() });
/** Oldest first. Pass `next` as `after` to get later entries; it is also present on an empty page. */
export type McpLogPage = z.output<typeof mcpLogPage>;
