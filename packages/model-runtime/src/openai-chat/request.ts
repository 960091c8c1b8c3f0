import type { JsonObject, ModelParameters } from '@toolyard/protocol';
import { scrub } from '../scrub.ts';
import { describeTools } from '../text-calls/describe.ts';
import type { ChatRequest } from '../types.ts';
import { messagesJson } from './messages.ts';
import type { OpenAiChatQuirks } from './quirks.ts';
import { toolsJson } from './tools.ts';

/** The body of a chat request, as JSON text put together from pieces that were written once. */
export function requestBody(request: ChatRequest, quirks: OpenAiChatQuirks): string {
  const messages = messagesJson(request.messages, {
    toolMode: request.toolMode,
    systemSuffix: request.toolMode === 'text' ? textModeSuffix(request) : '',
  });
  const settings: JsonObject = {
    ...parametersOf(request.parameters, quirks),
    stream: true,
    ...(quirks.noStreamOptions === true ? {} : { stream_options: { include_usage: true } }),
  };
  const model = JSON.stringify(request.model);
  const rest = [JSON.stringify(settings).slice(1, -1), ...toolFields(request, quirks)].join(',');
  // The messages may be long: put together once, and not once more with the rest.
  return `{"model":${model},"messages":[${messages.join(',')}],${rest}}`;
}

function toolFields(request: ChatRequest, quirks: OpenAiChatQuirks): string[] {
  if (request.toolMode === 'text' || request.tools.length === 0) return [];
  const tools = `"tools":${toolsJson(request.tools)}`;
  if (request.toolChoice === 'auto') return [tools];
  return quirks.noToolChoiceNone === true ? [] : [tools, '"tool_choice":"none"'];
}

/** With calls written as text there is no tool choice to set: the offer itself is withdrawn. */
function textModeSuffix(request: ChatRequest): string {
  if (request.tools.length === 0) return '';
  if (request.toolChoice === 'none') return 'No tool can be called any more. Answer now from what you know.';
  return scrub(describeTools(request.tools, 'hermes'));
}

function parametersOf(parameters: ModelParameters, quirks: OpenAiChatQuirks): JsonObject {
  const { temperature, topP, maxOutputTokens, stop, seed } = parameters;
  const limit = quirks.maxCompletionTokens === true ? 'max_completion_tokens' : 'max_tokens';
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxOutputTokens === undefined ? {} : { [limit]: maxOutputTokens }),
    ...(stop === undefined || stop.length === 0 ? {} : { stop }),
    ...(seed === undefined ? {} : { seed }),
  };
}
