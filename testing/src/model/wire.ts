import { createRandom } from './random.ts';

/** How a body is split into writes: per event, per byte, as a whole, in chunks of n bytes, or at random from a seed. */
export type Split = 'event' | 'byte' | 'whole' | number | { seed: number };

/** Options of every reply. */
export type ScriptedWireOptions = {
  /** Default `event`. Each write is flushed before the next one. */
  split?: Split;
  /**
   * Line ending of the event stream; default `\
   * `.
   */
  newline?: '\n' | '\r\n';
  /** Adds a comment before every event, as proxies and some servers do to keep a connection open. */
  comments?: boolean;
  /** Real milliseconds between two writes; default 0. */
  delayMs?: number;
  hold?: Hold;
  /** After the last write the connection stays open without further data. */
  thenSilence?: boolean;
  /** After the last write the socket is destroyed. */
  thenCut?: boolean;
  status?: number;
  headers?: Readonly<Record<string, string>>;
};

/**
 * Pauses an answer until the promise settles, so that a test can act in the middle of it: after this many writes, by
 * default half of them, nothing follows, or, with `talking`, the next one repeatedly.
 */
type Hold = { until: Promise<unknown>; behind?: number; talking?: boolean };

/** A reply ready to be sent, encoded once. */
export type ModelReply = {
  status: number;
  headers: Readonly<Record<string, string>>;
  writes: readonly Uint8Array[];
  delayMs: number;
  hold?: Hold;
  ending: 'end' | 'silence' | 'cut';
};

/** The bytes of one unit of a reply, such as an event. */
export type Chunk = string | Uint8Array;

/** Creates a reply from chunks; `split` decides how they are written. */
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

/** One event of a `text/event-stream`, with a comment before it if requested. */
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
