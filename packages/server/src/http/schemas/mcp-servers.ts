import type {
  ApproveMcpEntry,
  ChangeMcpServer,
  McpEntryApproval,
  McpIsolation,
  McpServerList,
  McpServerView,
  McpSignInStarted,
  McpSignInView,
  McpToolDetail,
  McpToolView,
} from '@toolyard/protocol';
import { z } from 'zod';
import { errorInfo, jsonObject, named, pageOf, time, toolAnnotations, toolChange, toolReference } from './common.ts';
import { exactly } from './exactly.ts';

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
export const mcpPhase = named('McpPhase', phase);

const toolFields = {
  tool: toolReference,
  name: z.string(),
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  readOnly: z.boolean(),
  annotations: toolAnnotations.exactOptional(),
  permission: z.enum(['allow', 'never']).nullable(),
  enabled: z.boolean(),
  tokens: z.int(),
  changed: toolChange.exactOptional(),
};

const mcpTool = named('McpToolView', exactly<McpToolView>()(z.strictObject(toolFields)));

const mcpToolDetail = named(
  'McpToolDetail',
  exactly<McpToolDetail>()(
    z.strictObject({ ...toolFields, inputSchema: jsonObject, outputSchema: jsonObject.exactOptional() }),
  ),
);
export const mcpToolPage = pageOf('McpToolPage', mcpToolDetail);

export const offers = z.strictObject({
  tools: z.int(),
  resources: z.int().exactOptional(),
  templates: z.int().exactOptional(),
  prompts: z.int().exactOptional(),
});

export const transportView = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('stdio'), command: z.string() }),
  z.strictObject({ type: z.enum(['http', 'sse', 'websocket']), url: z.string() }),
]);

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
export const logLines = z.array(z.strictObject({ at: time, level: logLevel, text: z.string() }));

const signInView = named(
  'McpSignInView',
  exactly<McpSignInView>()(
    z.strictObject({
      state: z.enum(['signed_out', 'signing_in', 'signed_in']),
      issuer: z.string().exactOptional(),
      scope: z.string().exactOptional(),
      wanted: z.string().exactOptional(),
      hops: z.array(
        z.strictObject({
          at: time,
          step: z.string(),
          request: z.string(),
          status: z.int().exactOptional(),
          said: z.string().exactOptional(),
        }),
      ),
    }),
  ),
);

export const mcpSignInStarted = named(
  'McpSignInStarted',
  exactly<McpSignInStarted>()(z.strictObject({ url: z.string(), issuer: z.string() })),
);

const isolation = named(
  'McpIsolation',
  exactly<McpIsolation>()(
    z.discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('sandboxed'),
        network: z.enum(['on', 'off', 'hosts']),
        blocked: z.array(z.strictObject({ kind: z.enum(['host', 'path']), target: z.string() })),
        proposed: z.array(z.string()),
      }),
      z.strictObject({ kind: z.literal('unsandboxed') }),
      z.strictObject({ kind: z.literal('unavailable'), reason: z.string(), hint: z.string() }),
      z.strictObject({ kind: z.literal('docker'), flags: z.array(z.string()), exposed: z.boolean() }),
    ]),
  ),
);

export const mcpServerView = named(
  'McpServerView',
  exactly<McpServerView>()(
    z.strictObject({
      ...introduction,
      id: z.string(),
      state: z.enum(['idle', 'connecting', 'ready', 'reconnecting', 'needs_sign_in', 'failed', 'disabled']),
      enabled: z.boolean(),
      builtIn: z.boolean(),
      trusted: z.literal(true).exactOptional(),
      origin: z.enum(['built-in', 'file', 'flag']),
      editable: z.boolean(),
      transport: transportView.nullable(),
      fault: z.strictObject({ file: z.string(), line: z.int() }).exactOptional(),
      approval: z.strictObject({ hash: z.string(), isNew: z.boolean() }).exactOptional(),
      error: errorInfo.exactOptional(),
      phases: z.array(z.strictObject({ phase, at: time })),
      launch: z.strictObject({ launcher: z.string(), since: time, stderr: z.array(z.string()) }).exactOptional(),
      reconnect: z.strictObject({ attempt: z.int(), of: z.int(), at: time.exactOptional() }).exactOptional(),
      signIn: signInView.exactOptional(),
      offers,
      tokens: z.int(),
      tools: z.array(mcpTool),
      skipped,
      interactive: z.literal(true).exactOptional(),
      isolation: isolation.exactOptional(),
      log: logLines,
    }),
  ),
);

export const mcpServerList = named(
  'McpServerList',
  exactly<McpServerList>()(z.strictObject({ items: z.array(mcpServerView), fileFault: errorInfo.exactOptional() })),
);

export const mcpEntryApproval = named(
  'McpEntryApproval',
  exactly<McpEntryApproval>()(
    z.strictObject({
      id: z.string(),
      file: z.string(),
      line: z.int(),
      text: z.string(),
      hash: z.string(),
      isNew: z.boolean(),
    }),
  ),
);

export const approveMcpEntry = named(
  'ApproveMcpEntry',
  exactly<ApproveMcpEntry>()(z.strictObject({ hash: z.string().min(1).max(200) })),
);

export const changeMcpServer = named(
  'ChangeMcpServer',
  exactly<ChangeMcpServer>()(
    z.strictObject({
      enabled: z.boolean().exactOptional(),
      tools: z.record(z.string().min(1).max(1_000), z.boolean()).exactOptional(),
    }),
  ),
);
