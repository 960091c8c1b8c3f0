import type { AssistantPart, JsonObject, JsonValue, ToolReference, UserPart } from '@toolyard/protocol';
import { defined, isJsonObject, parseJson, readMediaData } from '@toolyard/protocol';
import type { ChatCall, ChatMessage, OpenAiChatCall } from '@toolyard/protocol/schemas';
import { openAiChatCall } from '@toolyard/protocol/schemas';
import { z } from 'zod';
import { issueSentence } from '../transport/plain-zod-error.ts';
import { quoted, refusal } from '../problems.ts';

type OpenAiMessage = OpenAiChatCall['messages'][number];
type Texts = string | readonly { text: string }[];

/** A body is OpenAI's if one of its messages has a member that only OpenAI's messages have. */
export function hasOpenAiMessages(body: JsonValue): boolean {
  if (!isJsonObject(body) || !Array.isArray(body['messages'])) return false;
  return body['messages'].some(
    (message) => isJsonObject(message) && ['content', 'tool_calls', 'tool_call_id'].some((key) => key in message),
  );
}

/** What OpenAI does without these members: with these values they change nothing. */
const DEFAULTS: JsonObject = { parallel_tool_calls: true, store: false, logprobs: false, service_tier: 'auto' };

/**
 * The schema of a body as clients send it: a member that is null, as of options left unset and of answers sent back, or
 * that has its default value is the same as none.
 */
export const receivedOpenAiChatCall = z.preprocess((body: JsonValue) => {
  if (!isJsonObject(body)) return body;
  const { messages, ...members } = withoutNulls(body);
  const options = Object.entries(members).filter(([name, value]) => DEFAULTS[name] !== value);
  return { ...Object.fromEntries(options), messages: Array.isArray(messages) ? messages.map(withoutEmpty) : messages };
}, openAiChatCall);

/** A message without what an answer has for the features it did not use. */
function withoutEmpty(message: JsonValue): JsonValue {
  if (!isJsonObject(message)) return message;
  const { annotations, ...rest } = withoutNulls(message);
  const isEmpty = annotations === undefined || (Array.isArray(annotations) && annotations.length === 0);
  return isEmpty ? rest : { ...rest, annotations };
}

function withoutNulls(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

/**
 * Translates a call in OpenAI's form. Everything in it is sent or rejected; nothing is ignored but what this route does
 * anyway (`stream`, `stream_options`) and hints to OpenAI's own models (`detail`, `strict`, `name` of a message).
 *
 * @throws ProblemAnswer 400 for calls and results that do not belong together, or arguments that are not JSON
 */
export function fromOpenAiChatCall(call: OpenAiChatCall): ChatCall {
  const { model, tools, tool_choice: choice, response_format: format, stop, user } = call;
  const parameters = defined({
    temperature: call.temperature,
    topP: call.top_p,
    topK: call.top_k,
    maxOutputTokens: call.max_completion_tokens ?? call.max_tokens,
    presencePenalty: call.presence_penalty,
    frequencyPenalty: call.frequency_penalty,
    seed: call.seed,
    reasoningEffort: call.reasoning_effort,
    stop: typeof stop === 'string' ? [stop] : stop,
  });
  return {
    model,
    messages: toMessages(call.messages),
    parameters,
    ...defined({
      user,
      tools: tools?.map(({ function: { name, description, parameters: inputSchema = { type: 'object' } } }) => ({
        name,
        inputSchema,
        ...defined({ description }),
      })),
      toolChoice: typeof choice === 'object' ? { name: choice.function.name } : choice,
      responseFormat:
        format?.type === 'json_schema'
          ? { type: format.type, name: format.json_schema.name, schema: format.json_schema.schema }
          : format?.type === 'json_object'
            ? { type: 'json' as const }
            : undefined,
    }),
  };
}

function toMessages(messages: readonly OpenAiMessage[]): ChatMessage[] {
  /** Calls without a result, by the provider's id, which may occur again later. */
  const open = new Map<string, { callId: string; name: string }>();
  return messages.map((message, at): ChatMessage => {
    switch (message.role) {
      case 'system':
      case 'developer':
        return { role: 'system', parts: toTextParts(message.content) };
      case 'user':
        return { role: 'user', parts: toUserParts(message.content, at) };
      case 'assistant':
        return { role: 'assistant', parts: toAssistantParts(message, at, open) };
      case 'tool': {
        const id = message.tool_call_id;
        const call = open.get(id);
        if (!call) throw invalid(`messages.${at}.tool_call_id`, `${quoted(id)} is the id of no call before it`);
        open.delete(id);
        const result = { content: toTextParts(message.content), isError: false, outcome: 'done' as const };
        const parts: [{ type: 'tool_result'; callId: string; result: typeof result }] = [
          { type: 'tool_result', callId: call.callId, result },
        ];
        return { role: 'tool', name: call.name, tool: toTool(call.name), parts };
      }
    }
  });
}

function toAssistantParts(
  { content, refusal: refused, tool_calls: calls = [] }: Extract<OpenAiMessage, { role: 'assistant' }>,
  at: number,
  open: Map<string, { callId: string; name: string }>,
): AssistantPart[] {
  const texts = [...toTextParts(content ?? ''), ...toTextParts(refused ?? '')];
  return [
    ...texts,
    ...calls.map(({ id, function: { name, arguments: written } }, index): AssistantPart => {
      const place = `messages.${at}.tool_calls.${index}`;
      const parsed = parseJson(written.trim() === '' ? '{}' : written);
      if (!parsed.ok || !isJsonObject(parsed.value)) {
        const problem = parsed.ok ? 'must be a JSON object' : `is not valid JSON: ${parsed.problem}`;
        throw invalid(`${place}.function.arguments`, problem);
      }
      if (open.has(id)) throw invalid(`${place}.id`, `${quoted(id)} is the id of an earlier call without a result`);
      const callId = `call-${at}-${index}`;
      open.set(id, { callId, name });
      return { type: 'tool_call', callId, providerCallId: id, name, tool: toTool(name), arguments: parsed.value };
    }),
  ];
}

function toUserParts(content: Extract<OpenAiMessage, { role: 'user' }>['content'], at: number): UserPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part, index): UserPart => {
    if (part.type === 'text') return part;
    if (part.type === 'input_audio') {
      const { data, format } = part.input_audio;
      return { type: 'audio', mimeType: format === 'mp3' ? 'audio/mpeg' : 'audio/wav', source: { data } };
    }
    const { url } = part.image_url;
    if (/^\s*data:/i.test(url)) {
      const media = readMediaData(url, 'image/*');
      if ('data' in media) return { type: 'image', mimeType: media.mimeType, source: { data: media.data } };
      throw invalid(`messages.${at}.content.${index}.image_url.url`, `contains no image: ${media.problem}`);
    }
    // A provider that needs the type of a remote image gets the usual one of its extension.
    const [, extension = 'jpeg'] = /\.(png|gif|webp)(?:[?#]|$)/i.exec(url) ?? [];
    return { type: 'image', mimeType: `image/${extension.toLowerCase()}`, source: { url } };
  });
}

function toTextParts(content: Texts): { type: 'text'; text: string }[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return content.map(({ text }) => ({ type: 'text', text }));
}

/** As for tools of a client in Toolyard's own form. */
function toTool(name: string): ToolReference {
  return { serverId: 'client', name };
}

function invalid(path: string, problem: string) {
  const message = `${issueSentence(`${path} in the body`, problem)}.`;
  return refusal({ code: 'bad_request', message }, { issues: [{ path, message: problem }] });
}
