import { EventStreamCodec } from '@smithy/eventstream-codec';
import { isJsonObject, parseJson, type JsonObject } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import type { StreamedAnswer } from '../wire/answer.ts';
import type { AnswerReader } from '../wire/dialect.ts';
import { joinBytes } from '../wire/endpoint.ts';
import { readError, typeOfException } from './error.ts';

/** Maximum size of a frame in bytes; the format allows 24 MB. */
const MAX_FRAME = 25_000_000;

/** Length, header length and checksums of the smallest frame. */
const MIN_FRAME = 16;

const textDecoder = new TextDecoder();

/**
 * Reads a body in the event stream format of AWS (`application/vnd.amazon.eventstream`): frames with their length, headers
 * and checksums.
 */
export class FrameReader implements AnswerReader {
  readonly #answer: StreamedAnswer;
  readonly #codec = new EventStreamCodec(
    (bytes: string | ArrayBuffer | ArrayBufferView) =>
      typeof bytes === 'string' ? bytes : textDecoder.decode(toBytes(bytes)),
    (text) => new TextEncoder().encode(text),
  );
  /** Received bytes that are not a whole frame yet, in pieces: joining them at each read would be quadratic. */
  #pending: Uint8Array[] = [];
  #size = 0;
  /** Size of the frame being received; 0 while unknown. */
  #needed = 0;

  constructor(answer: StreamedAnswer) {
    this.#answer = answer;
  }

  push(bytes: Uint8Array, out: StreamPart[]): void {
    if (this.#answer.ended) return;
    this.#pending.push(bytes);
    this.#size += bytes.length;
    if (this.#size < Math.max(this.#needed, MIN_FRAME)) return;
    let rest = this.#pending.length === 1 ? bytes : joinBytes(this.#pending, this.#size);
    this.#needed = 0;
    while (rest.length >= MIN_FRAME && !this.#answer.ended) {
      const length = new DataView(rest.buffer, rest.byteOffset, 4).getUint32(0);
      if (length < MIN_FRAME || length > MAX_FRAME) {
        this.#answer.failUnreadable('it is not an event stream of Amazon', out);
        break;
      }
      if (rest.length < length) {
        this.#needed = length;
        break;
      }
      this.#frame(rest.subarray(0, length), out);
      rest = rest.subarray(length);
    }
    this.#pending = [rest];
    this.#size = rest.length;
    if (this.#answer.isStreamDone) this.#answer.end(out);
  }

  end(out: StreamPart[]): void {
    this.#answer.end(out);
  }

  #frame(frame: Uint8Array, out: StreamPart[]): void {
    let event: { kind: string; name: string; payload: JsonObject };
    try {
      const { headers, body } = this.#codec.decode(frame);
      const header = (name: string): string => {
        const value = headers[name]?.value;
        return typeof value === 'string' ? value : '';
      };
      const parsed = parseJson(textDecoder.decode(body));
      event = {
        kind: header(':message-type'),
        name: header(':event-type') || header(':exception-type') || header(':error-code'),
        payload: parsed.ok && isJsonObject(parsed.value) ? parsed.value : { message: header(':error-message') },
      };
    } catch {
      this.#answer.failUnreadable('a frame is damaged', out);
      return;
    }
    if (event.kind === 'event') {
      this.#answer.read(event.payload, out, event.name);
      return;
    }
    const error = readError(event.payload) ?? { message: '', code: '', type: '', param: '' };
    // Without a status, any other error would count as temporary.
    const code = event.name === 'validationException' ? '400' : '';
    this.#answer.reject({ ...error, code, type: typeOfException(event.name) }, out);
  }
}

function toBytes(value: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);
}
