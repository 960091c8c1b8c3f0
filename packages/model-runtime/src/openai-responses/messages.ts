import type { AssistantMessage, JsonObject, Message, ToolMessage, ToolMode, UserMessage } from '@toolyard/protocol';
import { scrub, scrubJson } from '../scrub.ts';
import { CallIds, PLAIN_ID } from '../wire/call-ids.ts';
import { remember, rememberVariant, toJsonTexts } from '../wire/json-text.ts';
import { answerAsText } from '../wire/messages.ts';
import { isFromModel, unsealObject } from '../wire/replay.ts';
import { toTurns } from '../wire/turns.ts';
import { resultItem, textToolResult, userItem } from './content.ts';

export type ResponsesMessageOptions = {
  toolMode: ToolMode;
  /** The model that receives the conversation, with its own reasoning if `replay`. */
  model: string;
  replay: boolean;
};

/** The `input` of a request, each item as JSON. Each message is serialized once, however many requests contain it. */
export function toItems(messages: readonly Message[], { toolMode, model, replay }: ResponsesMessageOptions): string[] {
  const ids = new CallIds(PLAIN_ID);
  const turns = toTurns(messages, 'model', {
    user: (message) => remember(userCache, message, () => [userItem(message.parts)]),
    assistant: (message) => {
      if (toolMode === 'text') return textAnswer(message);
      const isReplayed = replay && isFromModel(message, model);
      const variant = `${isReplayed} ${ids.add(message)}`;
      return rememberVariant(answerCache, message, variant, () => nativeAnswer(message, ids, isReplayed));
    },
    results: (run) => run.map((message) => toResult(message, toolMode, ids)),
  });
  return turns.flatMap(({ blocks }) => blocks);
}

const userCache = new WeakMap<UserMessage, readonly string[]>();
const textCache = new WeakMap<AssistantMessage, readonly string[]>();

function textAnswer(message: AssistantMessage): readonly string[] {
  return remember(textCache, message, () => toJsonTexts([messageItem(answerAsText(message))]));
}

const answerCache = new WeakMap<AssistantMessage, { variant: string; value: readonly string[] }>();

function nativeAnswer(message: AssistantMessage, ids: CallIds, isReplayed: boolean): string[] {
  const items: (JsonObject | null)[] = [];
  let phase: string | null = null;
  for (const part of message.parts) {
    switch (part.type) {
      case 'text':
        items.push(messageItem(part.text, phase));
        phase = null;
        break;
      case 'malformed_tool_call':
        items.push(messageItem(part.raw));
        break;
      case 'reasoning': {
        const stored = isReplayed ? unsealObject('openai-responses', part.signature) : null;
        if (typeof stored?.['phase'] === 'string') phase = stored['phase'];
        else if (stored !== null) items.push(reasoningItem(part.text, stored));
        break;
      }
      case 'tool_call':
        items.push({
          type: 'function_call',
          call_id: ids.get(part.callId) ?? part.callId,
          name: part.name,
          arguments: JSON.stringify(scrubJson(part.arguments)),
        });
        break;
      default:
        // The API has no input form for other parts.
        break;
    }
  }
  return toJsonTexts(dropDanglingReasoning(items));
}

/** `phase`: whether the text was commentary or the final answer, if the model reported it. */
function messageItem(text: string, phase: string | null = null): JsonObject | null {
  if (text.trim() === '') return null;
  return { type: 'message', role: 'assistant', content: scrub(text), ...(phase === null ? {} : { phase }) };
}

/** A reasoning item, as it was received. */
function reasoningItem(text: string, stored: JsonObject): JsonObject {
  return { type: 'reasoning', ...stored, summary: text === '' ? [] : [{ type: 'summary_text', text }] };
}

/** The API rejects reasoning without a following item, as an interrupted answer leaves it. */
function dropDanglingReasoning(items: (JsonObject | null)[]): JsonObject[] {
  const known = items.filter((item) => item !== null);
  const last = known.findLastIndex((item) => item['type'] !== 'reasoning');
  return known.slice(0, last + 1);
}

const resultCache = new WeakMap<ToolMessage, { variant: string; value: string }>();

/** The answer to a malformed call is sent as text, because the API never received that call. */
function toResult(message: ToolMessage, toolMode: ToolMode, ids: CallIds): string {
  const [part] = message.parts;
  const id = toolMode === 'native' ? ids.get(part.callId) : undefined;
  if (id === undefined) return textToolResult(message.name, part.result);
  return rememberVariant(resultCache, message, id, () => resultItem(id, part.result));
}
