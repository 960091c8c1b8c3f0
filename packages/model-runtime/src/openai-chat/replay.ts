import { isJsonObject, type AssistantPart, type JsonObject, type JsonValue } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import { sealReplay, unsealObject } from '../wire/replay.ts';

/**
 * Data of an answer's reasoning that must be sent back: the name of the field its text came in, the details a gateway
 * streams beside it, or the extra fields of the call that follows.
 */
type ReplayData = { field: string } | { details: JsonValue[] } | { call: JsonObject };

/** The part that stores it, at its position in the answer. */
export function keepForReplay(data: ReplayData): StreamPart {
  return { type: 'reasoning_signature', signature: sealReplay('openai-chat', JSON.stringify(data)) };
}

/** Fields to send back with a message, and with each of its calls. */
export type Replay = { fields: JsonObject; calls: Map<string, JsonObject> };

/**
 * Reads what {@link keepForReplay} stored among the parts of an answer. `whole`: also reasoning without such data, which
 * is not kept with answers that make no call.
 */
export function readReplay(parts: readonly AssistantPart[], whole = false): Replay {
  const fields: JsonObject = {};
  const calls = new Map<string, JsonObject>();
  let thinking = '';
  let nextCallFields: JsonObject | null = null;
  for (const part of parts) {
    if (part.type === 'reasoning') {
      thinking += part.text;
      const data = unsealObject('openai-chat', part.signature);
      if (data === null) continue;
      if (typeof data['field'] === 'string') fields[data['field']] = thinking;
      if (Array.isArray(data['details'])) fields['reasoning_details'] = data['details'];
      if (isJsonObject(data['call'])) nextCallFields = data['call'];
    } else if (part.type === 'tool_call') {
      if (nextCallFields !== null) calls.set(part.callId, nextCallFields);
      nextCallFields = null;
    }
  }
  if (whole && thinking !== '' && Object.keys(fields).length === 0) fields['reasoning_content'] = thinking;
  return { fields, calls };
}

/**
 * The reasoning details that a gateway streams: items in pieces, joined if they continue one of the same type and
 * index.
 */
export class ReasoningDetails {
  readonly #items: JsonObject[] = [];

  add(pieces: readonly JsonValue[]): void {
    for (const piece of pieces) {
      if (!isJsonObject(piece)) continue;
      const last = this.#items.at(-1);
      const continues =
        last?.['type'] === piece['type'] && last?.['index'] === piece['index'] && piece['index'] !== undefined;
      if (last === undefined || !continues) this.#items.push({ ...piece });
      else join(last, piece);
    }
  }

  get items(): JsonValue[] {
    return this.#items;
  }
}

const GROWING = ['text', 'summary', 'data'];

function join(target: JsonObject, piece: JsonObject): void {
  for (const [key, value] of Object.entries(piece)) {
    if (value === null) continue;
    const before = target[key];
    target[key] =
      GROWING.includes(key) && typeof before === 'string' && typeof value === 'string' ? before + value : value;
  }
}
