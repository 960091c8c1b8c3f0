import type {
  AssistantMessage,
  AssistantPart,
  JsonObject,
  Message,
  SystemMessage,
  ToolDefinition,
  ToolMessage,
  ToolResult,
  UserMessage,
  UserPart,
} from '@toolyard/protocol';
import type { ChatRequest, ModelRuntime, StreamPart } from '../types.ts';

let count = 0;

function base(): { id: string; parentId: null; createdAt: number } {
  count += 1;
  return { id: `m${count}`, parentId: null, createdAt: 0 };
}

export function system(text: string): SystemMessage {
  return { ...base(), role: 'system', parts: [{ type: 'text', text }] };
}

export function user(...parts: (string | UserPart)[]): UserMessage {
  return {
    ...base(),
    role: 'user',
    parts: parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
  };
}

export function assistant(...parts: (string | AssistantPart)[]): AssistantMessage {
  return {
    ...base(),
    role: 'assistant',
    runId: 'r1',
    model: 'scripted',
    finishReason: 'stop',
    parts: parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
  };
}

export function call(callId: string, name: string, args: JsonObject = {}, providerCallId?: string): AssistantPart {
  const own = providerCallId === undefined ? {} : { providerCallId };
  return { type: 'tool_call', callId, ...own, name, tool: { serverId: 's', name }, arguments: args };
}

export function result(callId: string, name: string, value: string | Partial<ToolResult>): ToolMessage {
  const content: ToolResult['content'] = typeof value === 'string' ? [{ type: 'text', text: value }] : [];
  const toolResult: ToolResult = {
    content,
    isError: false,
    outcome: 'done',
    ...(typeof value === 'string' ? {} : value),
  };
  return {
    ...base(),
    role: 'tool',
    name,
    tool: { serverId: 's', name },
    parts: [{ type: 'tool_result', callId, result: toolResult }],
  };
}

export function tool(name: string, more: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    tool: { serverId: 's', name },
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object', properties: {} },
    builtIn: false,
    ...more,
  };
}

export function request(messages: Message[] | string, more: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: 'scripted',
    messages: typeof messages === 'string' ? [user(messages)] : messages,
    tools: [],
    toolChoice: 'auto',
    toolMode: 'native',
    parameters: {},
    ...more,
  };
}

/** All parts of an answer except timing; adjacent parts of one type are merged. */
export async function collect(
  runtime: ModelRuntime,
  chatRequest: ChatRequest,
  signal?: AbortSignal,
): Promise<StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const batch of runtime.chat(chatRequest, signal === undefined ? {} : { signal })) {
    if (batch.length === 0) throw new Error('an empty batch');
    parts.push(...batch.filter((part) => part.type !== 'timing'));
  }
  return joined(parts);
}

/** Merges adjacent text, reasoning and arguments of one call. */
export function joined(parts: readonly StreamPart[]): StreamPart[] {
  const out: StreamPart[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if ((part.type === 'text' || part.type === 'reasoning') && last?.type === part.type) {
      out[out.length - 1] = { type: part.type, text: last.text + part.text };
    } else if (part.type === 'tool_call_delta' && last?.type === 'tool_call_delta' && last.index === part.index) {
      out[out.length - 1] = { ...part, argumentsText: last.argumentsText + part.argumentsText };
    } else out.push(part);
  }
  return out;
}

/** The text of an answer. */
export function textIn(parts: readonly StreamPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The error that ended an answer. */
export function errorIn(parts: readonly StreamPart[]): Extract<StreamPart, { type: 'error' }>['error'] {
  const last = parts.at(-1);
  if (last?.type !== 'error') throw new Error(`no error at the end: ${JSON.stringify(last)}`);
  return last.error;
}
