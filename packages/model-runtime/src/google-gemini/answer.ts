import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import { BlockAnswer } from '../wire/block-answer.ts';
import { readObject, readObjects, readText } from '../wire/json-values.ts';
import { toArgumentsText } from '../wire/arguments.ts';
import { Citations } from '../wire/citations.ts';
import { readError } from './error.ts';
import { readUsage } from './usage.ts';

/** Converts the events of one streamed answer, or a whole answer, into parts. */
export class GeminiAnswer extends BlockAnswer {
  protected readonly wire = 'google-gemini';
  readonly #citations = new Citations();
  /** Number of call parts so far. Without ids, two equal parts are two calls: the API never repeats one. */
  #parts = 0;

  protected chunk(value: JsonValue, out: StreamPart[]): void {
    if (this.ended || !isJsonObject(value)) return;
    const error = readError(value);
    if (error !== null) {
      this.reject(error, out);
      return;
    }
    if (isJsonObject(value['usageMetadata'])) this.usage = readUsage(value['usageMetadata']);
    const [candidate] = Array.isArray(value['candidates']) ? value['candidates'] : [];
    if (isJsonObject(candidate)) this.#candidate(candidate, out);
    else this.#feedback(value['promptFeedback'], out);
  }

  #candidate(candidate: JsonObject, out: StreamPart[]): void {
    this.began = true;
    for (const part of readObjects(readObject(candidate['content'])['parts'])) this.#part(part, out);

    for (const chunk of readObjects(readObject(candidate['groundingMetadata'])['groundingChunks'])) {
      this.#citations.add(chunk['web'] ?? chunk['retrievedContext'], out);
    }
    const { citationSources, citations } = readObject(candidate['citationMetadata']);
    this.#citations.addAll(citationSources ?? citations, out);

    const reason = candidate['finishReason'];
    if (typeof reason === 'string') this.stopFor(reason, out, readText(candidate['finishMessage']));
  }

  /** The signature of a part precedes it in our format and is sent back on it. */
  #part(part: JsonObject, out: StreamPart[]): void {
    const signature = readText(part['thoughtSignature']);
    if (signature !== '') this.keep(signature, out);
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
    this.calls.begin(key, readText(call['id']), readText(call['name']), out);
    this.calls.delta(key, toArgumentsText(args ?? {}), out);
    this.calls.end(key, false, out);
  }

  #feedback(feedback: JsonValue | undefined, out: StreamPart[]): void {
    const reason = readText(readObject(feedback)['blockReason']);
    if (reason === '') return;
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
