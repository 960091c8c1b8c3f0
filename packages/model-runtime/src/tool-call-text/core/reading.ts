import { NO_CHARACTER, type Source } from './source.ts';

/** Reading that waits for more text: it yields where what has arrived is used up. */
export type TextReading<T> = Generator<void, T, void>;

/** Waits for a character under the cursor; false where the text is over. */
export function* hasMore(source: Source): TextReading<boolean> {
  while (source.peek() === NO_CHARACTER) {
    if (source.ended) return false;
    yield;
  }
  return true;
}

/** Goes over whitespace; returns the code under the cursor, or NONE where the text is over. */
export function* skipBlanks(source: Source): TextReading<number> {
  for (;;) {
    const code = source.peek();
    if (code === NO_CHARACTER) {
      if (!(yield* hasMore(source))) return NO_CHARACTER;
    } else if (isBlank(code)) source.advance();
    else return code;
  }
}

/** The code behind whitespace, without going there. */
export function* peekBehindBlanks(source: Source): TextReading<number> {
  const from = source.position;
  const code = yield* skipBlanks(source);
  source.seek(from);
  return code;
}

/** Reads on while `accepts` says so, `limit` characters at most; null where the text is over before the end. */
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

/** Reads the first of `markers` that stands here, or nothing. No marker may begin another. */
export function* readOneOf(source: Source, markers: readonly string[]): TextReading<string | null> {
  for (const marker of markers) if (yield* readExactly(source, marker)) return marker;
  return null;
}

/** True where the text is over, or over in the middle of one of `tokens`. */
export function* isCutOff(source: Source, tokens: readonly string[]): TextReading<boolean> {
  if (!(yield* hasMore(source))) return true;
  const rest = source.ended ? source.textFrom(source.position, LONGEST_TOKEN) : null;
  return rest !== null && tokens.some((token) => token.startsWith(rest));
}

const LONGEST_TOKEN = 100;

/** What ended a stretch: the marker, read as well, and where the stretch ended. Null: the text is over. */
export type ReadStop = { marker: string; at: number };

/** Reads on to behind the first of `markers`, wherever it stands. */
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
      const marker = yield* readOneOf(source, markers);
      if (marker !== null) return { marker, at };
    }
    source.advance();
  }
}

/** True for the whitespace that surrounds markers: ASCII only, so that no written character is ever dropped. */
export function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** True for what names of tools and arguments may begin with. */
export function isNameStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code > 127;
}

/** True for the characters of names: `grocery.order-items`, `mcp/read:file`. */
export function isNameCode(code: number): boolean {
  return isNameStart(code) || (code >= 45 && code <= 58);
}
