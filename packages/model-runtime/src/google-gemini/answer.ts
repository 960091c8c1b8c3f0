import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import { StreamedAnswer } from '../wire/answer.ts';
import { argumentsTextOf } from '../wire/arguments.ts';
import { BlockCalls } from '../wire/block-calls.ts';
import { Citations } from '../wire/citations.ts';
import { sealReplay } from '../wire/replay.ts';
import { readError } from './error.ts';
import { readUsage } from './usage.ts';

/** Converts the events of one streamed answer, or a whole answer, into parts. */
export class GeminiAnswer extends StreamedAnswer {
  readonly #calls = new BlockCalls();
  readonly #citations = new Citations();
  /** Number of call parts so far. Without ids, two equal parts are two calls: the API never repeats one. */
  #parts = 0;

  protected get callCount(): number {
    return this.#calls.count;
  }

  protected endCalls(cut: boolean, out: StreamPart[]): void {
    this.#calls.endAll(cut, out);
  }

  protected chunk(value: JsonValue, out: StreamPart[]): void {
    if (this.ended || !isJsonObject(value)) return;
    const error = readError(value);
    if (error !== null) {
      this.reject(error, out);
      return;
    }
    if (isJsonObject(value['usageMetadata'])) this.usage = readUsage(value['usageMetadata']);
    const candidates = value['candidates'];
    const candidate = Array.isArray(candidates) ? candidates[0] : undefined;
    if (isJsonObject(candidate)) this.#candidate(candidate, out);
    else this.#feedback(value['promptFeedback'], out);
  }

  #candidate(candidate: JsonObject, out: StreamPart[]): void {
    this.began = true;
    const content = candidate['content'];
    const parts = isJsonObject(content) ? content['parts'] : null;
    if (Array.isArray(parts)) for (const part of parts) if (isJsonObject(part)) this.#part(part, out);

    const grounding = candidate['groundingMetadata'];
    const chunks = isJsonObject(grounding) ? grounding['groundingChunks'] : null;
    if (Array.isArray(chunks)) {
      for (const chunk of chunks)
        if (isJsonObject(chunk)) this.#citations.add(chunk['web'] ?? chunk['retrievedContext'], out);
    }
    const cited = candidate['citationMetadata'];
    if (isJsonObject(cited)) this.#citations.addAll(cited['citationSources'] ?? cited['citations'], out);

    const reason = candidate['finishReason'];
    if (typeof reason === 'string') this.stopFor(reason, out, textOf(candidate['finishMessage']));
  }

  /** The signature of a part precedes it in our format and is sent back on it. */
  #part(part: JsonObject, out: StreamPart[]): void {
    const signature = part['thoughtSignature'];
    if (typeof signature === 'string' && signature !== '') {
      out.push({ type: 'reasoning_signature', signature: sealReplay('google-gemini', signature) });
    }
    const text = part['text'];
    if (typeof text === 'string') {
      if (part['thought'] === true) this.think(text, out);
      else this.say(text, out);
    }
    const call = part['functionCall'];
    if (isJsonObject(call)) this.#call(call, out);
    const media = part['inlineData'];
    if (isJsonObject(media) && typeof media['data'] === 'string' && part['thought'] !== true) {
      const mimeType = typeof media['mimeType'] === 'string' ? media['mimeType'] : 'image/png';
      if (!mimeType.startsWith('image/')) return;
      this.addPiece();
      out.push({ type: 'image', mimeType, source: { data: media['data'] } });
    }
  }

  #call(call: JsonObject, out: StreamPart[]): void {
    this.addPiece();
    const { args } = call;
    const key = this.#parts;
    this.#parts += 1;
    this.#calls.begin(key, textOf(call['id']), textOf(call['name']), out);
    this.#calls.delta(key, argumentsTextOf(args ?? {}), out);
    this.#calls.end(key, false, out);
  }

  #feedback(feedback: JsonValue | undefined, out: StreamPart[]): void {
    const reason = isJsonObject(feedback) ? feedback['blockReason'] : null;
    if (typeof reason !== 'string' || reason === '') return;
    this.fail(
      {
        code: 'refused',
        message: `${this.errors.server} blocked this request (${reason.slice(0, 60)}).`,
        hint: 'Rephrase it, or use another model.',
      },
      out,
    );
  }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
