import type {
  AssistantMessage,
  JsonObject,
  Message,
  ToolMessage,
  ToolMode,
  ToolResult,
  UserMessage,
  UserPart,
} from '@toolyard/protocol';
import { renderTextResponse } from '../tool-call-text/describe.ts';
import { remember } from './json-text.ts';
import { answerAsText, wireIdsOf } from './messages.ts';
import type { WireName } from './names.ts';
import { isOwnOf, sealReplay, unsealReplay } from './replay.ts';
import { toTurns, type MessageTurn } from './turns.ts';

/** Reasoning that its model can read again: its text with a signature, or redacted content. */
export type SealedReasoning = { kind: 'thinking' | 'redacted'; content: string };

/** The content blocks of an API whose turns are lists of blocks. Null: the API has no form for it. */
export type BlockFormat = {
  wire: WireName;
  /** The text and attachments of a user message as JSON of blocks. */
  userBlocks: (parts: readonly UserPart[]) => string[];
  /** Null for blank text. */
  textBlock: (text: string) => JsonObject | null;
  callBlock: (call: { id: string; name: string; arguments: JsonObject }) => JsonObject;
  /** The text is sent unchanged, because its signature covers the exact text. */
  reasoningBlock: (text: string, sealed: SealedReasoning) => JsonObject;
  /** A tool result as JSON of one block, images included. */
  resultBlock: (id: string, result: ToolResult) => string;
  /** The text of a result, and its images as JSON of blocks. */
  resultContent: (result: ToolResult) => { text: string; images: readonly string[] };
};

export type BlockTurnOptions = {
  toolMode: ToolMode;
  /** The model whose own reasoning is replayed to it; absent: no reasoning is replayed. */
  replayFor?: string;
};

type Turn = MessageTurn<'user' | 'assistant'>;
type Answered = { blocks: readonly string[]; ids: readonly (readonly [callId: string, wireId: string])[] };

/** Returns the function that puts a conversation into the format. Each message is serialized once, however many requests contain it. */
export function createBlockTurns(
  format: BlockFormat,
): (messages: readonly Message[], options: BlockTurnOptions) => Turn[] {
  const { wire, userBlocks, textBlock, callBlock, reasoningBlock, resultBlock, resultContent } = format;
  const users = new WeakMap<UserMessage, readonly string[]>();
  const texts = new WeakMap<AssistantMessage, readonly string[]>();
  const answers = {
    native: new WeakMap<AssistantMessage, Answered>(),
    replay: new WeakMap<AssistantMessage, Answered>(),
  };
  const results = new WeakMap<ToolMessage, { id: string; block: string }>();

  function nativeAnswer(message: AssistantMessage, form: 'native' | 'replay'): Answered {
    const ids = wireIdsOf(message).map(([callId, wireId]) => [callId, idFor(wireId)] as const);
    const idOf = new Map(ids);
    const blocks = message.parts.map((part): JsonObject | null => {
      switch (part.type) {
        case 'text':
          return textBlock(part.text);
        case 'malformed_tool_call':
          return textBlock(part.raw);
        case 'reasoning': {
          const sealed = form === 'replay' ? unsealReasoning(wire, part.signature) : null;
          return sealed && reasoningBlock(part.text, sealed);
        }
        case 'tool_call': {
          const { callId, name } = part;
          return callBlock({ id: idOf.get(callId) ?? idFor(callId), name, arguments: part.arguments });
        }
        default:
          // The APIs have no input form for other parts.
          return null;
      }
    });
    return { blocks: jsonOf(blocks), ids };
  }

  /** Results come first. Answers to malformed calls follow as text, because the API never received such a call. */
  function nativeResults(run: readonly ToolMessage[], wireIds: ReadonlyMap<string, string>): string[] {
    const blocks: string[] = [];
    const asText: string[] = [];
    for (const message of run) {
      const [part] = message.parts;
      const id = wireIds.get(part.callId);
      if (id === undefined) {
        asText.push(...textResult(message));
        continue;
      }
      let known = results.get(message);
      if (known?.id !== id) results.set(message, (known = { id, block: resultBlock(id, part.result) }));
      blocks.push(known.block);
    }
    return [...blocks, ...asText];
  }

  function textResult(message: ToolMessage): string[] {
    const { text, images } = resultContent(message.parts[0].result);
    return [...jsonOf([textBlock(renderTextResponse(message.name, text))]), ...images];
  }

  return (messages, { toolMode, replayFor }) => {
    const wireIds = new Map<string, string>();
    return toTurns(
      messages,
      { user: 'user', model: 'assistant' },
      {
        user: (message) => remember(users, message, () => userBlocks(message.parts)),
        assistant: (message) => {
          if (toolMode === 'text') return remember(texts, message, () => jsonOf([textBlock(answerAsText(message))]));
          const form = replayFor !== undefined && isOwnOf(message, replayFor) ? 'replay' : 'native';
          const { blocks, ids } = remember(answers[form], message, () => nativeAnswer(message, form));
          for (const [callId, wireId] of ids) wireIds.set(callId, wireId);
          return blocks;
        },
        results: (run) =>
          toolMode === 'text'
            ? run.flatMap(textResult)
            : nativeResults(run, wireIds),
      },
    );
  };
}

/** What a stream part keeps of reasoning, for {@link BlockFormat.reasoningBlock}. */
export function sealReasoning(wire: WireName, { kind, content }: SealedReasoning): string {
  return sealReplay(wire, `${kind}:${content}`);
}

function unsealReasoning(wire: WireName, signature: string | undefined): SealedReasoning | null {
  const sealed = unsealReplay(wire, signature);
  if (sealed === null) return null;
  const colon = sealed.indexOf(':');
  const kind = sealed.slice(0, colon) === 'redacted' ? 'redacted' : 'thinking';
  return { kind, content: sealed.slice(colon + 1) };
}

/** The APIs restrict the characters of call ids; other providers and Toolyard use ids with others. */
function idFor(id: string): string {
  return id.replace(/[^\w-]/g, '_');
}

function jsonOf(blocks: readonly (JsonObject | null)[]): string[] {
  return blocks.flatMap((block) => (block === null ? [] : [JSON.stringify(block)]));
}
