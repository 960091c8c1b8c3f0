import type { JsonObject } from '@toolyard/protocol';
import { OPENAI_MODELS } from '../openai/models-data.ts';
import type { ChatRequest } from '../types.ts';
import type { OutgoingChat } from '../wire/dialect.ts';
import { findModelRow } from '../wire/effort.ts';
import { getTextForm, textModeSuffix } from '../wire/messages.ts';
import { Settings } from '../wire/settings.ts';
import { withAcceptedRoles } from '../wire/system-role.ts';
import { ANY_ID, NINE_LETTERS_OR_DIGITS } from '../wire/call-ids.ts';
import { replayedReasoning } from '../wire/replay.ts';
import { messagesJson } from './messages.ts';
import type { OpenAiChatQuirks } from './quirks.ts';
import { reasoningField } from './reasoning.ts';
import { toolsJson } from './tools.ts';

/** Optional features of this wire besides settings. */
export const OPTIONAL_FEATURES = {
  streamOptions: 'stream_options',
  oldLimit: 'max_tokens',
  toolChoiceNone: 'tool_choice_none',
  callIds: 'call_ids',
  nullContent: 'null_content',
  userAfterResults: 'user_after_results',
} as const;

/** Fields of the runtime itself, which extra parameters must not override. */
const OWNED = ['model', 'messages', 'tools', 'stream'];

/** Builds a chat request. The body is JSON assembled from cached fragments. */
export function toOutgoing(request: ChatRequest, quirks: OpenAiChatQuirks, without: ReadonlySet<string>): OutgoingChat {
  const { toolMode } = request;
  const textForm = toolMode === 'text' ? getTextForm(request.model) : undefined;
  const described = textForm === undefined ? '' : textModeSuffix(request, textForm);
  const { messages: accepted, suffix } = withAcceptedRoles(request, without, described);
  const messages = messagesJson(accepted, {
    toolMode,
    systemSuffix: suffix,
    ...(textForm ? { textForm } : {}),
    model: request.model,
    reasoning: replayedReasoning(without, quirks.reasoningInCalls),
    emptyContent: without.has(OPTIONAL_FEATURES.nullContent),
    answersResults: quirks.answersResults === true || without.has(OPTIONAL_FEATURES.userAfterResults),
    callIds: quirks.shortCallIds || without.has(OPTIONAL_FEATURES.callIds) ? NINE_LETTERS_OR_DIGITS : ANY_ID,
  });
  // A partial answer without text, or with calls, is not the last message.
  const continuing = messages.at(-1)?.startsWith('{"role":"assistant"') === true ? quirks.continuing : undefined;
  if (request.continues && continuing === 'prefix') markPrefix(messages);
  const settings = toSettings(request, quirks, without);
  const tools = toolFields(request, quirks, without);
  const stream = quirks.noStreamWithTools !== true || tools.length === 0;
  const isUsageAsked = stream && quirks.noStreamOptions !== true && !without.has(OPTIONAL_FEATURES.streamOptions);
  const fields: JsonObject = {
    ...settings.fields,
    stream,
    ...(request.continues && continuing === 'continue_final_message'
      ? { continue_final_message: true, add_generation_prompt: false }
      : {}),
    ...(isUsageAsked ? { stream_options: { include_usage: true } } : {}),
  };
  settings.addExtra(fields, request.parameters.extra, OWNED);
  const model = JSON.stringify(request.model);
  const rest = [JSON.stringify(fields).slice(1, -1), ...tools].join(',');
  // Joined only once, because the messages may be long.
  const body = `{"model":${model},"messages":[${messages.join(',')}],${rest}}`;
  return settings.toOutgoing('/chat/completions', body);
}

/** The cached message must not change: the marker belongs to this request only. */
function markPrefix(messages: string[]): void {
  const last = messages.pop();
  if (last !== undefined) messages.push(`${last.slice(0, -1)},"prefix":true}`);
}

function toSettings(request: ChatRequest, quirks: OpenAiChatQuirks, without: ReadonlySet<string>): Settings {
  const { parameters, responseFormat, model, user } = request;
  const settings = new Settings('openai-chat', without);
  if (user !== undefined) settings.add('user', 'user', user);
  settings.addPlain(parameters, findModelRow(OPENAI_MODELS, model)?.refuses ?? []);
  if (quirks.maxCompletionTokens === true || without.has(OPTIONAL_FEATURES.oldLimit)) renameLimit(settings);

  if (parameters.reasoningEffort !== undefined) {
    const reasoning = reasoningField(parameters.reasoningEffort, model, quirks.reasoning ?? 'reasoning_effort');
    if (reasoning === null) settings.leaveOut('reasoningEffort');
    else settings.add('reasoningEffort', reasoning.field, reasoning.value);
  }
  if (responseFormat !== undefined) {
    const { type } = responseFormat;
    settings.add(
      'responseFormat',
      'response_format',
      type === 'json'
        ? { type: 'json_object' }
        : { type, json_schema: { name: responseFormat.name, schema: responseFormat.schema } },
    );
  }
  return settings;
}

function renameLimit(settings: Settings): void {
  const { max_tokens: limit, ...rest } = settings.fields;
  if (limit === undefined) return;
  delete settings.fields['max_tokens'];
  Object.assign(settings.fields, rest, { max_completion_tokens: limit });
  for (const entry of settings.sent) if (entry.field === 'max_tokens') entry.field = 'max_completion_tokens';
}

function toolFields(request: ChatRequest, quirks: OpenAiChatQuirks, without: ReadonlySet<string>): string[] {
  if (request.toolMode === 'text' || request.tools.length === 0) return [];
  const tools = `"tools":${toolsJson(request.tools, without)}`;
  const { toolChoice } = request;
  if (toolChoice === 'auto') return [tools];
  if (toolChoice === 'none') {
    const isUnknown = quirks.noToolChoiceNone === true || without.has(OPTIONAL_FEATURES.toolChoiceNone);
    return isUnknown ? [] : [tools, '"tool_choice":"none"'];
  }
  if (without.has(OPTIONAL_FEATURES.toolChoiceNone)) return [tools];
  const choice = toolChoice === 'required' ? toolChoice : { type: 'function', function: { name: toolChoice.name } };
  return [tools, `"tool_choice":${JSON.stringify(choice)}`];
}
