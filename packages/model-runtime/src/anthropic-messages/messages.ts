import type { AssistantMessage, JsonObject, Message, ToolMessage, ToolMode, UserMessage } from '@toolyard/protocol';
import { scrubJson } from '../scrub.ts';
import { renderTextResponse } from '../tool-call-text/describe.ts';
import { toResultContent } from '../wire/content.ts';
import { remember } from '../wire/json-text.ts';
import { answerAsText, wireIdsOf } from '../wire/messages.ts';
import { isOwnOf, unsealReplay } from '../wire/replay.ts';
import { toTurns, type MessageTurn } from '../wire/turns.ts';
import { resultBlock, resultImages, textBlock, userBlocks } from './content.ts';

export type AnthropicMessageOptions = {
  toolMode: ToolMode;
  /** The model whose own thinking is replayed to it; absent: no thinking is replayed. */
  replayFor?: string;
};

/** The conversation in the format of the API. Each message is serialized once, however many requests contain it. */
export function turnsOf(
  messages: readonly Message[],
  { toolMode, replayFor }: AnthropicMessageOptions,
): MessageTurn<'user' | 'assistant'>[] {
  const wireIds = new Map<string, string>();
  return toTurns(
    messages,
    { user: 'user', model: 'assistant' },
    {
      user: (message) => remember(userCache, message, () => userBlocks(message.parts)),
      assistant: (message) => {
        if (toolMode === 'text') return textAnswer(message);
        const form = replayFor !== undefined && isOwnOf(message, replayFor) ? 'replay' : 'native';
        const { blocks, ids } = nativeAnswer(message, form);
        for (const [callId, wireId] of ids) wireIds.set(callId, wireId);
        return blocks;
      },
      results: (run) => (toolMode === 'text' ? textResults(run) : nativeResults(run, wireIds)),
    },
  );
}

const userCache = new WeakMap<UserMessage, readonly string[]>();
const textCache = new WeakMap<AssistantMessage, readonly string[]>();

function textAnswer(message: AssistantMessage): readonly string[] {
  return remember(textCache, message, () => jsonOf([textBlock(answerAsText(message))]));
}

type Answered = { blocks: readonly string[]; ids: readonly (readonly [callId: string, wireId: string])[] };

const answerCaches = {
  native: new WeakMap<AssistantMessage, Answered>(),
  replay: new WeakMap<AssistantMessage, Answered>(),
};

function nativeAnswer(message: AssistantMessage, form: 'native' | 'replay'): Answered {
  return remember(answerCaches[form], message, () => {
    const ids = wireIdsOf(message).map(([callId, wireId]) => [callId, idFor(wireId)] as const);
    const idOf = new Map(ids);
    const blocks: (JsonObject | null)[] = [];
    for (const part of message.parts) {
      switch (part.type) {
        case 'text':
          blocks.push(textBlock(part.text));
          break;
        case 'malformed_tool_call':
          blocks.push(textBlock(part.raw));
          break;
        case 'reasoning':
          if (form === 'replay') blocks.push(thinkingBlock(part.text, part.signature));
          break;
        case 'tool_call': {
          const { callId, name } = part;
          blocks.push({
            type: 'tool_use',
            id: idOf.get(callId) ?? idFor(callId),
            name,
            input: scrubJson(part.arguments),
          });
          break;
        }
        default:
          // The API has no input form for other parts.
          break;
      }
    }
    return { blocks: jsonOf(blocks), ids };
  });
}

/** The API restricts the characters of call ids; other providers and Toolyard use ids with others. */
function idFor(id: string): string {
  return id.replace(/[^\w-]/g, '_');
}

/** The thinking text is sent unchanged, because its signature covers the exact text. */
function thinkingBlock(thinking: string, signature: string | undefined): JsonObject | null {
  const sealed = unsealReplay('anthropic-messages', signature);
  if (sealed === null) return null;
  const [kind, content] = split(sealed);
  return kind === 'redacted'
    ? { type: 'redacted_thinking', data: content }
    : { type: 'thinking', thinking, signature: content };
}

function split(sealed: string): [kind: string, content: string] {
  const colon = sealed.indexOf(':');
  return [sealed.slice(0, colon), sealed.slice(colon + 1)];
}

const resultCache = new WeakMap<ToolMessage, { id: string; block: string }>();

/** Results come first. Answers to malformed calls follow as text, because the API never received such a call. */
function nativeResults(run: readonly ToolMessage[], wireIds: ReadonlyMap<string, string>): string[] {
  const results: string[] = [];
  const texts: string[] = [];
  for (const message of run) {
    const [part] = message.parts;
    const id = wireIds.get(part.callId);
    if (id === undefined) {
      texts.push(...textResult(message));
      continue;
    }
    let known = resultCache.get(message);
    if (known?.id !== id) resultCache.set(message, (known = { id, block: resultBlock(id, part.result) }));
    results.push(known.block);
  }
  return [...results, ...texts];
}

function textResults(run: readonly ToolMessage[]): string[] {
  return run.flatMap((message) => [...textResult(message), ...resultImages(message.parts[0].result)]);
}

function textResult(message: ToolMessage): string[] {
  const { text } = toResultContent(message.parts[0].result, 'shown below');
  return jsonOf([textBlock(renderTextResponse(message.name, text))]);
}

function jsonOf(blocks: readonly (JsonObject | null)[]): string[] {
  return blocks.flatMap((block) => (block === null ? [] : [JSON.stringify(block)]));
}
