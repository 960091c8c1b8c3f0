import type {
  AssistantPart,
  InterruptAnswer,
  JsonObject,
  JsonValue,
  Message,
  ToolDefinition,
  ToolReference,
  UserPart,
} from '@toolyard/protocol';
import {
  defined,
  isAbortError,
  isJsonObject,
  toErrorInfo,
  ToolyardError,
  say,
  withTemplate,
  withTemplates,
} from '@toolyard/protocol';
import type { SamplingAnswer } from '@toolyard/mcp-host';
import type { ChatRequest, StreamPart } from '@toolyard/model-runtime';
import type { RunHost } from '../run-host.ts';
import type { SamplingUsage } from './sampling-usage.ts';
import { readBlocks, readList, readResultText, textAt } from './sampling-view.ts';

/**
 * Sends a server's request to the conversation's own model after a user has allowed it, with the texts as the user
 * edited them.
 *
 * @throws ToolyardError without details of a failure, since the server receives it; the user gets a notice
 */
export async function sample(
  host: RunHost,
  request: JsonObject,
  answer: InterruptAnswer,
  signal: AbortSignal,
  { samplingUsage, tool }: { samplingUsage: SamplingUsage; tool: ToolReference },
): Promise<SamplingAnswer> {
  if (answer.decision !== 'allow') {
    throw new ToolyardError({ code: 'tool_refused', message: say`The user declined this request.` });
  }
  const parts: StreamPart[] = [];
  const refusal = await samplingUsage.refusal();
  if (refusal) {
    host.journal.append(
      withTemplates({
        type: 'notice',
        level: 'warning',
        code: refusal.code,
        text: withTemplate(refusal.message, refusal.templates?.['message']),
      }),
    );
    throw new ToolyardError({ code: 'refused', message: say`The budget for model requests is exhausted.` });
  }
  const began = host.clock.monotonic();
  try {
    const chat = host.model.chat(toChatRequest(host, request, answer), { signal });
    for await (const batch of chat) parts.push(...batch);
    const failure = parts.find((part) => part.type === 'error');
    if (failure) throw new ToolyardError(failure.error);
  } catch (thrown) {
    if (!signal.aborted || !isAbortError(thrown)) {
      const { message, templates } = toErrorInfo(thrown);
      const reason = withTemplate(message, templates?.['message']);
      const text = say`The model could not answer a request of a server: ${reason}`;
      host.journal.append(withTemplates({ type: 'notice', level: 'warning', code: 'sampling_failed', text }));
    }
    throw new ToolyardError({ code: 'bad_response', message: say`The model failed to answer.` });
  } finally {
    const durationMs = Math.round(host.clock.monotonic() - began);
    samplingUsage.add(
      parts.find((part) => part.type === 'usage'),
      { tool, durationMs },
    );
  }
  return toSamplingAnswer(parts, host.modelId);
}

type Allowed = Extract<InterruptAnswer, { decision: 'allow' }>;

function toChatRequest({ modelId, parameters, toolMode }: RunHost, request: JsonObject, allowed: Allowed): ChatRequest {
  const { temperature, maxTokens, stopSequences } = request;
  const own = parameters.maxOutputTokens;
  const requestedTokens = typeof maxTokens === 'number' && maxTokens > 0 ? maxTokens : undefined;
  const most = own === undefined ? requestedTokens : Math.min(own, requestedTokens ?? own);
  const stop = readList(stopSequences).filter((one) => typeof one === 'string');
  return {
    model: modelId,
    messages: toMessages(request, allowed),
    tools: toTools(request),
    toolChoice: readToolChoice(request),
    toolMode,
    parameters: {
      ...(typeof temperature === 'number' ? { temperature } : {}),
      ...defined({ maxOutputTokens: most }),
      ...(stop.length === 0 ? {} : { stop }),
    },
  };
}

function readToolChoice(request: JsonObject): ChatRequest['toolChoice'] {
  const mode = textAt(request['toolChoice'], 'mode');
  return mode === 'required' || mode === 'none' ? mode : 'auto';
}

/** The tools of the server's request: only the server executes them, so they are not tools of the conversation. */
function toTools(request: JsonObject): ToolDefinition[] {
  return readList(request['tools']).flatMap((tool) => {
    const name = textAt(tool, 'name');
    if (name === undefined || !isJsonObject(tool)) return [];
    const description = textAt(tool, 'description');
    const inputSchema = isJsonObject(tool['inputSchema']) ? tool['inputSchema'] : { type: 'object' };
    return [
      {
        tool: { serverId: '', name },
        name,
        inputSchema,
        builtIn: false,
        ...defined({ description }),
      },
    ];
  });
}

function toMessages(request: JsonObject, { texts, systemPrompt }: Allowed): Message[] {
  const messages: Message[] = [];
  const place = (): { id: string; parentId: string | null; createdAt: number } => ({
    id: `m${messages.length}`,
    parentId: messages.at(-1)?.id ?? null,
    createdAt: 0,
  });
  const system = systemPrompt ?? textAt(request, 'systemPrompt');
  if (system !== undefined && system !== '') {
    messages.push({ ...place(), role: 'system', parts: [{ type: 'text', text: system }] });
  }
  const names = new Map<string, string>();
  let seen = 0;
  const takeText = (block: JsonObject): string => texts?.[seen++] ?? textAt(block, 'text') ?? '';
  for (const message of readList(request['messages'])) {
    const blocks = readBlocks(message);
    if (textAt(message, 'role') === 'assistant') {
      messages.push({
        ...place(),
        role: 'assistant',
        runId: '',
        model: '',
        finishReason: 'stop',
        parts: blocks.flatMap((block): AssistantPart[] => {
          if (block['type'] === 'text') return [{ type: 'text', text: takeText(block) }];
          if (block['type'] !== 'tool_use') return [];
          const callId = textAt(block, 'id') ?? '';
          const name = textAt(block, 'name') ?? '';
          names.set(callId, name);
          const args = isJsonObject(block['input']) ? block['input'] : {};
          return [{ type: 'tool_call', callId, providerCallId: callId, name, tool: null, arguments: args }];
        }),
      });
      continue;
    }
    const said: UserPart[] = [];
    for (const block of blocks) {
      if (block['type'] === 'tool_result') {
        const callId = textAt(block, 'toolUseId') ?? '';
        const content = [{ type: 'text' as const, text: readResultText(block) }];
        const result = { content, isError: block['isError'] === true, outcome: 'done' as const };
        const part = { type: 'tool_result' as const, callId, result };
        messages.push({ ...place(), role: 'tool', name: names.get(callId) ?? '', tool: null, parts: [part] });
      } else {
        const part = toUserPart(block, takeText);
        if (part) said.push(part);
      }
    }
    if (said.length > 0) messages.push({ ...place(), role: 'user', parts: said });
  }
  return messages;
}

function toUserPart(block: JsonObject, takeText: (block: JsonObject) => string): UserPart | null {
  const source = { data: textAt(block, 'data') ?? '' };
  const mimeType = textAt(block, 'mimeType');
  switch (block['type']) {
    case 'text':
      return { type: 'text', text: takeText(block) };
    case 'image':
      return { type: 'image', mimeType: mimeType ?? 'image/png', source };
    case 'audio':
      return { type: 'audio', mimeType: mimeType ?? 'audio/wav', source };
    default:
      return null;
  }
}

function toSamplingAnswer(parts: readonly StreamPart[], model: string): SamplingAnswer {
  let text = '';
  const calls: JsonValue[] = [];
  let reason = 'endTurn';
  for (const part of parts) {
    if (part.type === 'text') text += part.text;
    if (part.type === 'tool_call' && part.arguments !== null) {
      calls.push({ type: 'tool_use', id: part.id ?? `call_${part.index}`, name: part.name, input: part.arguments });
    }
    if (part.type === 'finish' && part.reason === 'length') reason = 'maxTokens';
  }
  const said = { type: 'text', text };
  const answer =
    calls.length === 0
      ? { role: 'assistant', model, content: said, stopReason: reason }
      : { role: 'assistant', model, content: [...(text === '' ? [] : [said]), ...calls], stopReason: 'toolUse' };
  return answer as SamplingAnswer;
}
