import type {
  AssistantMessage,
  AssistantPart,
  JsonObject,
  Message,
  ToolMessage,
  ToolMode,
  ToolResult,
  UserMessage,
  UserPart,
} from '@toolyard/protocol';
import { renderTextResponse } from '../tool-call-text/describe.ts';
import { CallIds, PLAIN_ID, shortId } from './call-ids.ts';
import { toBlock, toResultContent, type ContentFormat, type ResultContent } from './content.ts';
import { remember, rememberVariant, toJsonTexts } from './json-text.ts';
import { answerAsText } from './messages.ts';
import type { WireName } from '@toolyard/protocol';
import { isFromModel, NO_REASONING, unsealReplay, type ReplayedReasoning } from './replay.ts';
import { toTurns, type MessageTurn } from './turns.ts';

/** Reasoning that its model can read again: its text with a signature, or redacted content. */
type SealedReasoning = { kind: 'thinking' | 'redacted'; content: string };

/** The content blocks of an API whose turns are lists of blocks. Null: the API has no form for it. */
export type BlockFormat = {
  wire: WireName;
  /** Null for blank text: the API rejects it. */
  content: ContentFormat<JsonObject | null>;
  /** What the API requires beside the blocks of a user message. */
  complete?: (blocks: readonly JsonObject[]) => readonly JsonObject[];
  callBlock: (call: { id: string; name: string; arguments: JsonObject }) => JsonObject;
  /** The text is sent unchanged, because its signature covers the exact text. */
  reasoningBlock: (text: string, sealed: SealedReasoning, model: string) => JsonObject | null;
  /** `blocks`: the text and the images of the result. */
  resultBlock: (
    id: string,
    blocks: readonly JsonObject[],
    result: ResultContent<unknown> & { isError: boolean },
  ) => JsonObject;
};

export type BlockTurnOptions = {
  toolMode: ToolMode;
  /** The model that receives the conversation. */
  model: string;
  reasoning: ReplayedReasoning;
};

type Turn = MessageTurn<'user' | 'assistant'>;
type Blocks = { variant: string; value: readonly string[] };

/** Returns the function that puts a conversation into the format. Each message is serialized once, however many requests contain it. */
export function createBlockTurns(
  format: BlockFormat,
): (messages: readonly Message[], options: BlockTurnOptions) => Turn[] {
  const { wire, content, complete = (blocks) => blocks, callBlock, reasoningBlock, resultBlock } = format;
  const textBlock = content.text;
  const users = new WeakMap<UserMessage, readonly string[]>();
  const texts = new WeakMap<AssistantMessage, readonly string[]>();
  const answers = new WeakMap<AssistantMessage, Blocks>();
  const results = new WeakMap<ToolMessage, { variant: string; value: string }>();

  function nativeAnswer(message: AssistantMessage, ids: CallIds, isOwn: boolean, fills: boolean): string[] {
    let hasReasoning = false;
    const blocks = message.parts.map((part): JsonObject | null => {
      switch (part.type) {
        case 'text':
          return textBlock(part.text);
        case 'malformed_tool_call':
          return textBlock(part.raw);
        case 'reasoning': {
          const sealed = isOwn ? unsealReasoning(wire, part.signature) : null;
          const block = sealed && reasoningBlock(part.text, sealed, message.model);
          hasReasoning ||= block !== null;
          return block;
        }
        case 'tool_call': {
          const { callId, name } = part;
          return callBlock({ id: ids.get(callId) ?? shortId(callId), name, arguments: part.arguments });
        }
        default:
          // The APIs have no input form for other parts.
          return null;
      }
    });
    const isFilled = fills && !hasReasoning && message.parts.some((part) => part.type === 'tool_call');
    const filler = isFilled ? reasoningBlock(NO_REASONING, { kind: 'thinking', content: '' }, '') : null;
    return toJsonTexts([filler, ...inValidOrder(message.parts, blocks)]);
  }

  /** Results come first. Answers to malformed calls follow as text, because the API never received such a call. */
  function nativeResults(run: readonly ToolMessage[], ids: CallIds): string[] {
    const blocks: string[] = [];
    const asText: string[] = [];
    for (const message of run) {
      const [part] = message.parts;
      const id = ids.get(part.callId);
      if (id === undefined) {
        asText.push(...textResult(message));
        continue;
      }
      blocks.push(rememberVariant(results, message, id, () => nativeResult(id, part.result)));
    }
    return [...blocks, ...asText];
  }

  function nativeResult(id: string, result: ToolResult): string {
    const { text, images } = toResultContent(result, 'shown below', content);
    const blocks = [textBlock(text), ...images].filter((block) => block !== null);
    return JSON.stringify(resultBlock(id, blocks, { text, images, isError: result.isError }));
  }

  function textResult({ name, parts }: ToolMessage): string[] {
    const { text, images } = toResultContent(parts[0].result, 'shown below', content);
    return toJsonTexts([textBlock(renderTextResponse(name, text)), ...images]);
  }

  function userBlocks(parts: readonly UserPart[]): string[] {
    const blocks = parts.map((part) => toBlock(part, content)).filter((block) => block !== null);
    return toJsonTexts(complete(blocks));
  }

  return (messages, { toolMode, model, reasoning }) => {
    const ids = new CallIds(PLAIN_ID);
    return toTurns(messages, 'assistant', {
      user: (message) => remember(users, message, () => userBlocks(message.parts)),
      assistant: (message) => {
        if (toolMode === 'text') return remember(texts, message, () => toJsonTexts([textBlock(answerAsText(message))]));
        const isOwn = reasoning !== 'none' && isFromModel(message, model);
        const fills = reasoning === 'in_every_call';
        const variant = `${isOwn} ${fills} ${ids.add(message)}`;
        return rememberVariant(answers, message, variant, () => nativeAnswer(message, ids, isOwn, fills));
      },
      results: (run) => (toolMode === 'text' ? run.flatMap(textResult) : nativeResults(run, ids)),
    });
  };
}

type Sent = { type: AssistantPart['type']; block: JsonObject };

/**
 * The blocks in an order that every API accepts: text after the last calls is sent before them, because a call must
 * directly precede its result, and reasoning is never last. Other reasoning keeps its place.
 */
function inValidOrder(parts: readonly AssistantPart[], blocks: readonly (JsonObject | null)[]): JsonObject[] {
  const all = parts.flatMap(({ type }, at): Sent[] => {
    const block = blocks[at] ?? null;
    return block === null ? [] : [{ type, block }];
  });
  const sent = all.slice(0, all.findLastIndex(({ type }) => type !== 'reasoning') + 1);
  const last = sent.findLastIndex(({ type }) => type === 'tool_call');
  const after = sent.slice(last + 1);
  const first = sent.slice(0, Math.max(last, 0)).findLastIndex(({ type }) => type !== 'tool_call') + 1;
  const isMoved = last !== -1 && after.every(({ type }) => type !== 'reasoning');
  const ordered = isMoved ? [...sent.slice(0, first), ...after, ...sent.slice(first, last + 1)] : sent;
  return ordered.map(({ block }) => block);
}

/** What {@link BlockAnswer} kept of reasoning, for {@link BlockFormat.reasoningBlock}. */
function unsealReasoning(wire: WireName, signature: string | undefined): SealedReasoning | null {
  const sealed = unsealReplay(wire, signature);
  if (sealed === null) return null;
  const colon = sealed.indexOf(':');
  const kind = sealed.slice(0, colon) === 'redacted' ? 'redacted' : 'thinking';
  return { kind, content: sealed.slice(colon + 1) };
}
