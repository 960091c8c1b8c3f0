import {
  isJsonObject,
  parseJson,
  type AssistantMessage,
  type JsonObject,
  type Message,
  type ToolMessage,
  type ToolMode,
  type UserMessage,
} from '@toolyard/protocol';
import { scrub, scrubJson } from '../scrub.ts';
import { remember } from '../wire/json-text.ts';
import { answerAsText, wireIdsOf } from '../wire/messages.ts';
import { isOwnOf, unsealReplay } from '../wire/replay.ts';
import { toTurns } from '../wire/turns.ts';
import { resultItem, textToolResult, userItem } from './content.ts';

export type ResponsesMessageOptions = {
  toolMode: ToolMode;
  /** The model whose own reasoning is replayed to it; absent: no reasoning is replayed. */
  replayFor?: string;
};

/** The `input` of a request, each item as JSON. Each message is serialized once, however many requests contain it. */
export function itemsOf(messages: readonly Message[], { toolMode, replayFor }: ResponsesMessageOptions): string[] {
  const wireIds = new Map<string, string>();
  const turns = toTurns(
    messages,
    { user: 'user', model: 'model' },
    {
      user: (message) => remember(userCache, message, () => [userItem(message.parts)]),
      assistant: (message) => {
        if (toolMode === 'text') return textAnswer(message);
        const form = replayFor !== undefined && isOwnOf(message, replayFor) ? 'replay' : 'native';
        const { items, ids } = nativeAnswer(message, form);
        for (const [callId, wireId] of ids) wireIds.set(callId, wireId);
        return items;
      },
      results: (run) => run.map((message) => resultOf(message, toolMode, wireIds)),
    },
  );
  return turns.flatMap(({ blocks }) => blocks);
}

const userCache = new WeakMap<UserMessage, readonly string[]>();
const textCache = new WeakMap<AssistantMessage, readonly string[]>();

function textAnswer(message: AssistantMessage): readonly string[] {
  return remember(textCache, message, () => jsonOf([messageItem(answerAsText(message))]));
}

type Answered = { items: readonly string[]; ids: readonly (readonly [callId: string, wireId: string])[] };

const answerCaches = {
  native: new WeakMap<AssistantMessage, Answered>(),
  replay: new WeakMap<AssistantMessage, Answered>(),
};

function nativeAnswer(message: AssistantMessage, form: 'native' | 'replay'): Answered {
  return remember(answerCaches[form], message, () => {
    const ids = wireIdsOf(message);
    const idOf = new Map(ids);
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
          const stored = form === 'replay' ? readKept(part.signature) : null;
          if (typeof stored?.['phase'] === 'string') phase = stored['phase'];
          else if (stored !== null) items.push(reasoningItem(part.text, stored));
          break;
        }
        case 'tool_call':
          items.push({
            type: 'function_call',
            call_id: idOf.get(part.callId) ?? part.callId,
            name: part.name,
            arguments: JSON.stringify(scrubJson(part.arguments)),
          });
          break;
        default:
          // The API has no input form for other parts.
          break;
      }
    }
    return { items: jsonOf(dropDanglingReasoning(items)), ids };
  });
}

/** `phase`: whether the text was commentary or the final answer, if the model reported it. */
function messageItem(text: string, phase: string | null = null): JsonObject | null {
  if (text === '') return null;
  return { type: 'message', role: 'assistant', content: scrub(text), ...(phase === null ? {} : { phase }) };
}

/** Reads what {@link Answer} stored for an item. */
function readKept(signature: string | undefined): JsonObject | null {
  const sealed = unsealReplay('openai-responses', signature);
  const parsed = sealed === null ? null : parseJson(sealed);
  return parsed?.ok === true && isJsonObject(parsed.value) ? parsed.value : null;
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

const resultCache = new WeakMap<ToolMessage, { id: string; item: string }>();

/** The answer to a malformed call is sent as text, because the API never received that call. */
function resultOf(message: ToolMessage, toolMode: ToolMode, wireIds: ReadonlyMap<string, string>): string {
  const [part] = message.parts;
  const id = toolMode === 'native' ? wireIds.get(part.callId) : undefined;
  if (id === undefined) return textToolResult(message.name, part.result);
  let known = resultCache.get(message);
  if (known?.id !== id) resultCache.set(message, (known = { id, item: resultItem(id, part.result) }));
  return known.item;
}

function jsonOf(items: readonly (JsonObject | null)[]): string[] {
  return items.flatMap((item) => (item === null ? [] : [JSON.stringify(item)]));
}
