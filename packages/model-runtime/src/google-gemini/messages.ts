import type { AssistantMessage, JsonObject, Message, ToolMessage, ToolMode, UserMessage } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { scrub, scrubJson } from '../scrub.ts';
import { renderTextResponse } from '../tool-call-text/describe.ts';
import { ANY_ID, CallIds } from '../wire/call-ids.ts';
import { remember, rememberVariant } from '../wire/json-text.ts';
import { answerAsText } from '../wire/messages.ts';
import { isFromModel, unsealReplay } from '../wire/replay.ts';
import { toTurns, type MessageTurn } from '../wire/turns.ts';
import { imagePart, resultContent, resultParts, userParts } from './content.ts';
import { isSinceGemini3 } from './models-data.ts';

export type GeminiMessageOptions = {
  toolMode: ToolMode;
  model: string;
  /** False after the server rejected its own signatures. */
  replay: boolean;
};

/** Replaces the signature of a call that another model made; documented by the API for imported histories. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

/** The conversation in the format of the API. Each message is serialized once, however many requests contain it. */
export function toGeminiTurns(
  messages: readonly Message[],
  options: GeminiMessageOptions,
): MessageTurn<'user' | 'model'>[] {
  const { toolMode, model } = options;
  const ids = new CallIds(ANY_ID, model);
  const named = new Set<string>();
  return toTurns(messages, 'model', {
    user: (message) => remember(userCache, message, () => userParts(message.parts)),
    assistant: (message) => {
      if (toolMode === 'text') return textAnswer(message);
      const isOwn = isFromModel(message, model);
      const key = ids.add(message);
      for (const part of isOwn ? message.parts : []) {
        if (part.type === 'tool_call' && part.providerCallId !== undefined) named.add(part.callId);
      }
      const findId = (callId: string): string | undefined => (named.has(callId) ? ids.get(callId) : undefined);
      const form: Form = { isOwn: isOwn && options.replay, isSigned: isSinceGemini3(model) };
      const variant = `${isOwn} ${form.isOwn} ${form.isSigned} ${key}`;
      return rememberVariant(answerCache, message, variant, () => nativeAnswer(message, form, findId));
    },
    results: (run) => {
      const isCalled = ({ parts }: ToolMessage): boolean =>
        toolMode === 'native' && ids.get(parts[0].callId) !== undefined;
      // Answers to malformed calls follow as text: the API requires as many results as there are calls.
      return [
        ...run.filter(isCalled).flatMap(({ name, parts: [{ callId, result }] }) => {
          const id = named.has(callId) ? ids.get(callId) : undefined;
          return resultParts(id, name, result, isSinceGemini3(model));
        }),
        ...run.filter((message) => !isCalled(message)).flatMap(textResult),
      ];
    },
  });
}

const userCache = new WeakMap<UserMessage, readonly string[]>();
const textCache = new WeakMap<AssistantMessage, readonly string[]>();

function textAnswer(message: AssistantMessage): readonly string[] {
  return remember(textCache, message, () => {
    const text = answerAsText(message);
    return text === '' ? [] : [JSON.stringify({ text })];
  });
}

/**
 * Whether the model is the one that wrote the message, and whether it requires a signature on the first call of each
 * step.
 */
type Form = { isOwn: boolean; isSigned: boolean };

const answerCache = new WeakMap<AssistantMessage, { variant: string; value: readonly string[] }>();

/** A signature is sent back on the part it arrived on: the part after it in our format. */
function nativeAnswer(message: AssistantMessage, form: Form, findId: (callId: string) => string | undefined): string[] {
  const parts: JsonObject[] = [];
  let signature: string | null = null;
  let calls = 0;
  const add = (part: JsonObject): void => {
    parts.push(signature === null ? part : { ...part, thoughtSignature: signature });
    signature = null;
  };
  for (const part of message.parts) {
    switch (part.type) {
      case 'reasoning':
        if (form.isOwn) signature = unsealReplay('google-gemini', part.signature) ?? signature;
        break;
      case 'text':
        if (part.text !== '') add({ text: scrub(part.text) });
        break;
      case 'malformed_tool_call':
        add({ text: scrub(part.raw) });
        break;
      case 'tool_call': {
        if (calls === 0 && form.isSigned) signature ??= NO_SIGNATURE;
        calls += 1;
        const id = findId(part.callId);
        add({ functionCall: { ...defined({ id }), name: part.name, args: scrubJson(part.arguments) } });
        break;
      }
      case 'image': {
        const media = imagePart(part.mimeType, part.source);
        if (media !== null) add(media);
        break;
      }
      default:
        // The API has no input form for other parts.
        break;
    }
  }
  if (signature !== null) add({ text: '' });
  return parts.map((part) => JSON.stringify(part));
}

function textResult(message: ToolMessage): string[] {
  const { text, images } = resultContent(message.parts[0].result);
  return [{ text: renderTextResponse(message.name, text) }, ...images].map((part) => JSON.stringify(part));
}
