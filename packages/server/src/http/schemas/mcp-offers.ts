import type {
  CallMcpTool,
  CompleteMcpArgument,
  GetMcpPrompt,
  McpCompletion,
  McpFilledPrompt,
  McpLogEntry,
  McpLogPage,
  McpPromptList,
  McpPromptView,
  McpResourceContents,
  McpResourceView,
  McpTemplateView,
  ReadMcpResource,
} from '@toolyard/protocol';
import { z } from 'zod';
import { errorInfo, jsonObject, named, pageOf, time } from './common.ts';
import { exactly } from './exactly.ts';
import { logLevel, mcpPhase } from './mcp-servers.ts';
import { resourcePart, toolContentPart } from './parts.ts';

/** The name of a tool or prompt, or an address: a server chose it. */
const name = z.string().min(1).max(10_000);
const filled = z.record(z.string().min(1).max(1_000), z.string().max(100_000));

const about = { title: z.string().exactOptional(), description: z.string().exactOptional() };

export const callMcpTool = named(
  'CallMcpTool',
  exactly<CallMcpTool>()(z.strictObject({ tool: name, arguments: jsonObject.exactOptional() })),
);

const mcpResource = named(
  'McpResourceView',
  exactly<McpResourceView>()(
    z.strictObject({
      uri: z.string(),
      name: z.string(),
      ...about,
      mimeType: z.string().exactOptional(),
      size: z.number().exactOptional(),
      audience: z.array(z.enum(['user', 'assistant'])).exactOptional(),
      priority: z.number().exactOptional(),
      lastModified: z.string().exactOptional(),
    }),
  ),
);
export const mcpResourcePage = pageOf('McpResourcePage', mcpResource);

const mcpTemplate = named(
  'McpTemplateView',
  exactly<McpTemplateView>()(
    z.strictObject({ uriTemplate: z.string(), name: z.string(), ...about, mimeType: z.string().exactOptional() }),
  ),
);
export const mcpTemplatePage = pageOf('McpTemplatePage', mcpTemplate);

export const readMcpResource = named('ReadMcpResource', exactly<ReadMcpResource>()(z.strictObject({ uri: name })));
export const mcpResourceContents = named(
  'McpResourceContents',
  exactly<McpResourceContents>()(z.strictObject({ contents: z.array(resourcePart) })),
);

const mcpPrompt = named(
  'McpPromptView',
  exactly<McpPromptView>()(
    z.strictObject({
      serverId: z.string(),
      name: z.string(),
      ...about,
      arguments: z.array(z.strictObject({ name: z.string(), ...about, required: z.boolean() })),
    }),
  ),
);
export const mcpPromptList = named(
  'McpPromptList',
  exactly<McpPromptList>()(
    z.strictObject({
      items: z.array(mcpPrompt),
      failures: z.array(z.strictObject({ serverId: z.string(), error: errorInfo })),
    }),
  ),
);

export const getMcpPrompt = named(
  'GetMcpPrompt',
  exactly<GetMcpPrompt>()(z.strictObject({ name, arguments: filled.exactOptional() })),
);
export const mcpFilledPrompt = named(
  'McpFilledPrompt',
  exactly<McpFilledPrompt>()(
    z.strictObject({
      description: z.string().exactOptional(),
      messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: toolContentPart })),
    }),
  ),
);

export const completeMcpArgument = named(
  'CompleteMcpArgument',
  exactly<CompleteMcpArgument>()(
    z.strictObject({
      target: z.union([z.strictObject({ prompt: name }), z.strictObject({ uriTemplate: name })]),
      argument: z.strictObject({ name, value: z.string().max(100_000) }),
      others: filled.exactOptional(),
    }),
  ),
);
export const mcpCompletion = named(
  'McpCompletion',
  exactly<McpCompletion>()(
    z.strictObject({ values: z.array(z.string()), total: z.number().exactOptional(), hasMore: z.boolean() }),
  ),
);

const mcpLogEntry = named(
  'McpLogEntry',
  exactly<McpLogEntry>()(
    z.discriminatedUnion('kind', [
      z.strictObject({
        id: z.string(),
        kind: z.literal('event'),
        at: time,
        phase: mcpPhase,
        level: logLevel,
        text: z.string(),
      }),
      z.strictObject({
        id: z.string(),
        kind: z.literal('message'),
        at: time,
        direction: z.enum(['sent', 'received']),
        message: z.enum(['request', 'notification', 'result', 'error']),
        method: z.string().exactOptional(),
        requestId: z.union([z.string(), z.number()]).exactOptional(),
        text: z.string(),
      }),
    ]),
  ),
);
export const mcpLogPage = named(
  'McpLogPage',
  exactly<McpLogPage>()(z.strictObject({ items: z.array(mcpLogEntry), next: z.string() })),
);
