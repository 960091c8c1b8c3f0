import type { JsonObject } from '@toolyard/protocol';
import { inPieces } from './reply.ts';
import { buildReply, encodeEvent, type ModelReply, type ScriptedWireOptions } from './wire.ts';

export type GeminiOptions = ScriptedWireOptions & {
  /** Characters per text chunk; default 8. */
  pieces?: number;
  /** Default `STOP`; null sends none. */
  finishReason?: string | null;
  usage?: JsonObject;
  /** Further fields of the last chunk's candidate, such as `groundingMetadata`. */
  candidate?: JsonObject;
  /** One JSON array instead of events, as the API answers without `alt=sse`. */
  asArray?: boolean;
};

/** A streamed answer of Google's Gemini API, as documented: parts unchanged, but text in chunks. */
export function geminiReply(parts: readonly JsonObject[] | string, options: GeminiOptions = {}): ModelReply {
  const list: readonly JsonObject[] = typeof parts === 'string' ? [{ text: parts }] : parts;
  const chunks: JsonObject[] = list
    .flatMap((part) => split(part, options))
    .map((part) => chunk({ content: { role: 'model', parts: [part] } }));
  const { finishReason = 'STOP' } = options;
  const end: JsonObject = {
    content: { role: 'model', parts: [{ text: '' }] },
    ...(finishReason === null ? {} : { finishReason }),
    ...options.candidate,
  };
  chunks.push({ ...chunk(end), usageMetadata: options.usage ?? { promptTokenCount: 1, candidatesTokenCount: 1 } });
  if (options.asArray === true) return buildReply('application/json', [JSON.stringify(chunks)], options);
  return buildReply(
    'text/event-stream',
    chunks.map((each) => encodeEvent(JSON.stringify(each), options)),
    options,
  );
}

function chunk(candidate: JsonObject): JsonObject {
  return { candidates: [{ index: 0, ...candidate }], modelVersion: 'scripted', responseId: 'scripted' };
}

/** Splits text; its signature is sent with the last chunk. */
function split(part: JsonObject, options: GeminiOptions): JsonObject[] {
  const { text, thoughtSignature, ...rest } = part;
  if (typeof text !== 'string' || text === '') return [part];
  const pieces: JsonObject[] = inPieces(text, options).map((piece) => ({ text: piece, ...rest }));
  const last = pieces.at(-1);
  if (last !== undefined && thoughtSignature !== undefined) last['thoughtSignature'] = thoughtSignature;
  return pieces;
}
