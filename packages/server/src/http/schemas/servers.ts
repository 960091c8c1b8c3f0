import type { ChangeMcpServer, McpServerView, PermissionView } from '@toolyard/protocol';
import { z } from 'zod';
import { errorInfo, named, pageOf, time, toolChange, toolReference } from './common.ts';
import { exactly } from './exactly.ts';

const mcpTool = z.strictObject({
  tool: toolReference,
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  readOnly: z.boolean(),
  annotations: z
    .strictObject({
      readOnly: z.boolean().exactOptional(),
      destructive: z.boolean().exactOptional(),
      idempotent: z.boolean().exactOptional(),
      openWorld: z.boolean().exactOptional(),
    })
    .exactOptional(),
  permission: z.enum(['allow', 'never']).nullable(),
  changed: toolChange.exactOptional(),
});

export const mcpServerView = named(
  'McpServerView',
  exactly<McpServerView>()(
    z.strictObject({
      id: z.string(),
      state: z.enum(['idle', 'connecting', 'ready', 'reconnecting', 'needs_sign_in', 'failed', 'disabled']),
      enabled: z.boolean(),
      builtIn: z.boolean(),
      origin: z.enum(['built-in', 'file', 'flag']),
      transport: z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('stdio'), command: z.string() }),
        z.strictObject({ type: z.enum(['http', 'sse', 'websocket']), url: z.string() }),
      ]),
      serverInfo: z
        .strictObject({ name: z.string(), version: z.string(), title: z.string().exactOptional() })
        .exactOptional(),
      era: z.enum(['legacy', 'modern']).exactOptional(),
      protocolVersion: z.string().exactOptional(),
      error: errorInfo.exactOptional(),
      tools: z.array(mcpTool),
      skipped: z.array(z.strictObject({ name: z.string(), reason: z.string() })),
      log: z.array(z.strictObject({ at: time, level: z.enum(['info', 'warning', 'error']), text: z.string() })),
    }),
  ),
);
export const mcpServerPage = pageOf('McpServerPage', mcpServerView);

export const changeMcpServer = named(
  'ChangeMcpServer',
  exactly<ChangeMcpServer>()(z.strictObject({ enabled: z.boolean() })),
);

const permissionView = named(
  'PermissionView',
  exactly<PermissionView>()(
    z.strictObject({
      tool: toolReference,
      conversationId: z.string().nullable(),
      decision: z.enum(['allow', 'never']),
      at: time,
    }),
  ),
);
export const permissionPage = pageOf('PermissionPage', permissionView);
