import type { AssistantMessage, JsonObject, Message, ToolMessage, ToolMode, UserMessage } from '@toolyard/protocol';
import { scrubJson } from '../scrub.ts';
import { renderTextResponse } from '../tool-call-text/describe.ts';
import { toResultContent } from '../wire/content.ts';
import { remember } from '../wire/json-text.ts';
import { answerAsText, wireIdsOf } from '../wire/messages.ts';
import { isOwnOf, unsealReplay } from '../wire/replay.ts';
import { toTurns, type MessageTurn } from '../wire/turns.ts';
import { resultBlock, resultImages, textBlock, userBlocks } from './content.ts';

export type ConverseMessageOptions = {
  toolMode: ToolMode;
  /** The model whose own reasoning is replayed to it; absent: no reasoning is replayed. */
  replayFor?: string;
};

/** The conversation in the format of the API. Each message is serialized once, however many requests contain it. */
export function turnsOf(
  messages: readonly Message[],
  { toolMode, replayFor }: ConverseMessageOptions,
): MessageTurn<'user' | 'assistant'>[] {
  const wireIds = new Map<string, string>();
  return toTurns(
    messages,
    { user: 'user', model: 'assistant' },
    {
      user: (message) => remember(userCache, message, () => userBlocks(message.parts)),
      assistant: (message) => {
        if (toolMode === 'text') return remember(textCache, message, () => jsonOf([textBlock(answerAsText(message))]));
        const form = replayFor !== undefined && isOwnOf(message, replayFor) ? 'replay' : 'native';
        const { blocks, ids } = remember(answerCaches[form], message, () => nativeAnswer(message, form));
        for (const [callId, wireId] of ids) wireIds.set(callId, wireId);
        return blocks;
      },
      results: (run) => (toolMode === 'text' ? run.flatMap(textResult) : nativeResults(run, wireIds)),
    },
  );
}

type Answered = { blocks: readonly string[]; ids: readonly (readonly [callId: string, wireId: string])[] };

const userCache = new WeakMap<UserMessage, readonly string[]>();
const textCache = new WeakMap<AssistantMessage, readonly string[]>();
const answerCaches = {
  native: new WeakMap<AssistantMessage, Answered>(),
  replay: new WeakMap<AssistantMessage, Answered>(),
};

function nativeAnswer(message: AssistantMessage, form: 'native' | 'replay'): Answered {
  const ids = wireIdsOf(message).map(([callId, wireId]) => [callId, idFor(wireId)] as const);
  const idOf = new Map(ids);
  const blocks = message.parts.map((part): JsonObject | null => {
    switch (part.type) {
      case 'text':
        return textBlock(part.text);
      case 'malformed_tool_call':
        return textBlock(part.raw);
      case 'reasoning':
        return form === 'replay' ? reasoningBlock(part.text, part.signature) : null;
      case 'tool_call': {
        const toolUseId = idOf.get(part.callId) ?? idFor(part.callId);
        return { toolUse: { toolUseId, name: part.name, input: scrubJson(part.arguments) } };
      }
      default:
        // The API has no input form for other parts.
        return null;
    }
  });
  return { blocks: jsonOf(blocks), ids };
}

/** The API restricts the characters of call ids; other providers and Toolyard use ids with others. */
function idFor(id: string): string {
  return id.replace(/[^\w-]/g, '_');
}

/** The text is sent unchanged, because its signature covers the exact text. */
function reasoningBlock(text: string, signature: string | undefined): JsonObject | null {
  const sealed = unsealReplay('bedrock-converse', signature);
  if (sealed === null) return null;
  const colon = sealed.indexOf(':');
  const content = sealed.slice(colon + 1);
  return sealed.slice(0, colon) === 'redacted'
    ? { reasoningContent: { redactedContent: content } }
    : { reasoningContent: { reasoningText: { text, signature: content } } };
}

/** Results come first. Answers to malformed calls follow as text, because the API never received such a call. */
function nativeResults(run: readonly ToolMessage[], wireIds: ReadonlyMap<string, string>): string[] {
  const results: string[] = [];
  const texts: string[] = [];
  for (const message of run) {
    const [part] = message.parts;
    const id = wireIds.get(part.callId);
    if (id === undefined) texts.push(...textResult(message));
    else results.push(resultBlock(id, part.result));
  }
  return [...results, ...texts];
}

function textResult(message: ToolMessage): string[] {
  const [{ result }] = message.parts;
  const { text } = toResultContent(result, 'shown below');
  return [...jsonOf([textBlock(renderTextResponse(message.name, text))]), ...resultImages(result)];
}

function jsonOf(blocks: readonly (JsonObject | null)[]): string[] {
  return blocks.flatMap((block) => (block === null ? [] : [JSON.stringify(block)]));
}
