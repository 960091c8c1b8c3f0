import { createRandom } from './random.ts';

/** How a body is cut into writes: per event, per byte, in one, in pieces of n bytes, or at random from a seed. */
export type Split = 'event' | 'byte' | 'whole' | number | { seed: number };

/** What any reply can have, whatever it says. */
export type ScriptedWireOptions = {
  /** Default `event`. Each write leaves the process by itself, before the next one is made. */
  split?: Split;
  /** Line ends of the event stream; default `\n`. */
  newline?: '\n' | '\r\n';
  /** Puts a comment before every event, as proxies and some servers do to keep a line open. */
  comments?: boolean;
  /** Real milliseconds between two writes; default 0. */
  delayMs?: number;
  hold?: Hold;
  /** After the last write nothing more comes, and the connection stays open. */
  thenSilence?: boolean;
  /** After the last write the socket is destroyed. */
  thenCut?: boolean;
  status?: number;
  headers?: Readonly<Record<string, string>>;
};

/**
 * Keeps an answer from its end until then: what a test does in mid-answer is in mid-answer. Behind so many writes, by
 * default half of them, nothing more comes, or, where it goes on talking, the next one again and again.
 */
type Hold = { until: Promise<unknown>; behind?: number; talking?: boolean };

/** A reply ready to be sent, encoded once however often it is used. */
export type ModelReply = {
  status: number;
  headers: Readonly<Record<string, string>>;
  writes: readonly Uint8Array[];
  delayMs: number;
  hold?: Hold;
  ending: 'end' | 'silence' | 'cut';
};

/** Bytes of one piece of a reply that belongs together, such as an event. */
export type Chunk = string | Uint8Array;

/** Makes a reply of chunks; `split` decides how they are written. */
export function buildReply(
  contentType: string,
  chunks: readonly Chunk[],
  options: ScriptedWireOptions = {},
): ModelReply {
  const ending = options.thenCut === true ? 'cut' : options.thenSilence === true ? 'silence' : 'end';
  return {
    status: options.status ?? 200,
    headers: { 'content-type': contentType, ...options.headers },
    writes: splitInto(chunks.map(toBytes), options.split ?? 'event'),
    delayMs: options.delayMs ?? 0,
    ...(options.hold === undefined ? {} : { hold: options.hold }),
    ending,
  };
}

/** One event of a `text/event-stream`, with a comment before it where asked for. */
export function encodeEvent(data: string, options: ScriptedWireOptions, name?: string): string {
  const newline = options.newline ?? '\n';
  const comment = options.comments === true ? `: still here${newline}${newline}` : '';
  const event = name === undefined ? '' : `event: ${name}${newline}`;
  return `${comment}${event}data: ${data}${newline}${newline}`;
}

function toBytes(chunk: Chunk): Uint8Array {
  return typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
}

function splitInto(chunks: readonly Uint8Array[], split: Split): Uint8Array[] {
  if (split === 'event') return chunks.filter((chunk) => chunk.length > 0);
  const whole = concat(chunks);
  const sizeOfNext = pieceSizes(split, whole.length);
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < whole.length;) {
    const end = start + sizeOfNext();
    pieces.push(whole.subarray(start, end));
    start = end;
  }
  return pieces;
}

const LARGEST_RANDOM_PIECE = 48;

function pieceSizes(split: Exclude<Split, 'event'>, total: number): () => number {
  if (split === 'whole') return () => total;
  if (split === 'byte') return () => 1;
  if (typeof split === 'number') return () => Math.max(1, Math.floor(split));
  const random = createRandom(split.seed);
  return () => 1 + Math.floor(random() * LARGEST_RANDOM_PIECE);
}

function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((total, chunk) => total + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
