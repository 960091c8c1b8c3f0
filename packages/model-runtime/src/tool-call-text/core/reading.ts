import { NO_CHARACTER, type Source } from './source.ts';

/** A reader that suspends (yields) when it has consumed all text received so far. */
export type TextReading<T> = Generator<void, T, void>;

/** Waits for a character at the cursor; false at the end of the text. */
export function* hasMore(source: Source): TextReading<boolean> {
  while (source.peek() === NO_CHARACTER) {
    if (source.ended) return false;
    yield;
  }
  return true;
}

/** Skips whitespace; returns the code at the cursor, or NONE at the end of the text. */
export function* skipBlanks(source: Source): TextReading<number> {
  for (;;) {
    const code = source.peek();
    if (code === NO_CHARACTER) {
      if (!(yield* hasMore(source))) return NO_CHARACTER;
    } else if (isBlank(code)) source.advance();
    else return code;
  }
}

/** The code after whitespace, without moving the cursor. */
export function* peekBehindBlanks(source: Source): TextReading<number> {
  const from = source.position;
  const code = yield* skipBlanks(source);
  source.seek(from);
  return code;
}

/** Reads while `accepts` is true, at most `limit` characters; null if the text ends first. */
export function* readWhile(
  source: Source,
  accepts: (code: number) => boolean,
  limit: number,
): TextReading<string | null> {
  const from = source.position;
  for (;;) {
    const code = source.peek();
    if (code === NO_CHARACTER) {
      if (!(yield* hasMore(source))) return null;
    } else if (accepts(code) && source.position - from < limit) source.advance();
    else return source.text(from, source.position);
  }
}

const MAX_NAME = 200;

/** Reads the name of a tool, or a text as short; null if the text ends first. */
export function readName(source: Source, accepts = isNameCode): TextReading<string | null> {
  return readWhile(source, accepts, MAX_NAME);
}

/** Reads exactly `text`, or nothing. */
export function* readExactly(source: Source, text: string): TextReading<boolean> {
  const from = source.position;
  for (let at = 0; at < text.length; at += 1) {
    if (source.peek() === NO_CHARACTER && !(yield* hasMore(source))) break;
    if (source.peek() !== text.charCodeAt(at)) break;
    source.advance();
    if (at === text.length - 1) return true;
  }
  source.seek(from);
  return text === '';
}

/** Reads the first of `markers` that matches here, or nothing. No marker may be a prefix of another. */
export function* readMarker(source: Source, markers: readonly string[]): TextReading<string | null> {
  for (const marker of markers) if (yield* readExactly(source, marker)) return marker;
  return null;
}

/** True at the end of the text, or if it ends within one of `tokens`. */
export function* isCutOff(source: Source, tokens: readonly string[]): TextReading<boolean> {
  if (!(yield* hasMore(source))) return true;
  const rest = source.ended ? source.textFrom(source.position, MAX_TOKEN_LENGTH) : null;
  return rest !== null && tokens.some((token) => token.startsWith(rest));
}

const MAX_TOKEN_LENGTH = 100;

/** The marker that ended a range (consumed), and the end of the range. Null: end of the text. */
export type ReadStop = { marker: string; at: number };

/** Reads past the first occurrence of one of `markers`. */
export function* readUntil(source: Source, markers: readonly string[]): TextReading<ReadStop | null> {
  const first = new Set(markers.map((marker) => marker.charCodeAt(0)));
  for (;;) {
    const code = source.peek();
    if (code === NO_CHARACTER) {
      if (!(yield* hasMore(source))) return null;
      continue;
    }
    if (first.has(code)) {
      const at = source.position;
      const marker = yield* readMarker(source, markers);
      if (marker !== null) return { marker, at };
    }
    source.advance();
  }
}

/** True for whitespace around markers: ASCII only, so that no visible character is dropped. */
export function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** True for the first character of tool and argument names. */
export function isNameStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code > 127;
}

/** True for characters of names: `grocery.order-items`, `mcp/read:file`. */
export function isNameCode(code: number): boolean {
  return isNameStart(code) || (code >= 45 && code <= 58);
}
