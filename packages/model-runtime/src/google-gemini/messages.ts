import type { AssistantMessage, JsonObject, Message, ToolMessage, ToolMode, UserMessage } from '@toolyard/protocol';
import { scrub, scrubJson } from '../scrub.ts';
import { renderTextResponse } from '../tool-call-text/describe.ts';
import { remember } from '../wire/json-text.ts';
import { answerAsText } from '../wire/messages.ts';
import { isOwnOf, unsealReplay } from '../wire/replay.ts';
import { toTurns, type MessageTurn } from '../wire/turns.ts';
import { imagePart, resultContent, resultParts, userParts } from './content.ts';
import { supportsImagesInResults, requiresSignatures } from './models-data.ts';

export type GeminiMessageOptions = {
  toolMode: ToolMode;
  model: string;
  /** False after the server rejected its own signatures. */
  replay: boolean;
};

/** Replaces the signature of a call that another model made; documented by the API for imported histories. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

/** The conversation in the format of the API. Each message is serialized once, however many requests contain it. */
export function turnsOf(messages: readonly Message[], options: GeminiMessageOptions): MessageTurn<'user' | 'model'>[] {
  const { toolMode, model } = options;
  const ids = new Map<string, string>();
  return toTurns(
    messages,
    { user: 'user', model: 'model' },
    {
      user: (message) => remember(userCache, message, () => userParts(message.parts)),
      assistant: (message) => {
        if (toolMode === 'text') return textAnswer(message);
        const isOwn = isOwnOf(message, model);
        if (isOwn) {
          for (const part of message.parts) {
            if (part.type === 'tool_call' && part.providerCallId !== undefined)
              ids.set(part.callId, part.providerCallId);
          }
        }
        const form =
          `${isOwn && options.replay ? 'own' : 'other'}${requiresSignatures(model) ? '-signed' : ''}` as const;
        return remember(answerCaches[form], message, () => nativeAnswer(message, form, isOwn));
      },
      results: (run) =>
        run.flatMap((message) =>
          toolMode === 'text'
            ? textResult(message)
            : resultParts(
                ids.get(message.parts[0].callId),
                message.name,
                message.parts[0].result,
                supportsImagesInResults(model),
              ),
        ),
    },
  );
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
type Form = 'own' | 'other' | 'own-signed' | 'other-signed';

const answerCaches: Record<Form, WeakMap<AssistantMessage, readonly string[]>> = {
  own: new WeakMap(),
  other: new WeakMap(),
  'own-signed': new WeakMap(),
  'other-signed': new WeakMap(),
};

/** A signature is sent back on the part it arrived on: the part after it in our format. */
function nativeAnswer(message: AssistantMessage, form: Form, withIds: boolean): string[] {
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
        if (form.startsWith('own')) signature = unsealReplay('google-gemini', part.signature) ?? signature;
        break;
      case 'text':
        if (part.text !== '') add({ text: scrub(part.text) });
        break;
      case 'malformed_tool_call':
        add({ text: scrub(part.raw) });
        break;
      case 'tool_call': {
        if (calls === 0 && form.endsWith('signed')) signature ??= NO_SIGNATURE;
        calls += 1;
        const id = withIds && part.providerCallId !== undefined ? { id: part.providerCallId } : {};
        add({ functionCall: { ...id, name: part.name, args: scrubJson(part.arguments) } });
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
