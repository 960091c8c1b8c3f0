import { isBlank, hasMore, readMarker, type TextReading } from './reading.ts';
import { NO_CHARACTER, type Source } from './source.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  DOUBLE_QUOTE,
  LESS_THAN,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  SINGLE_QUOTE,
} from './codes.ts';

const CLOSERS: ReadonlySet<number> = new Set([CLOSE_PAREN, CLOSE_BRACKET, CLOSE_BRACE]);

/** Delimiter of strings that are not quoted: `<|"|>`. */
type Delimiter = string | null;

/** `mismatch` and `cut` leave the cursor at the error; `stop`, before the marker. */
export type Balance = 'closed' | 'mismatch' | 'cut' | 'stop';

export type BalanceOptions = {
  /** Delimiter of strings without escapes. Default: quotes, with backslash escapes. */
  delimiter?: Delimiter;
  /** Markers that end the search; within strings only after a bracket, where a call may have ended. */
  stops?: readonly string[];
};

/** Reads until all of `closers` are consumed, innermost last; skips strings and nested brackets. */
export function* readBalanced(
  source: Source,
  closers: number[],
  { delimiter = null, stops = [] }: BalanceOptions = {},
): TextReading<Balance> {
  let quote = NO_CHARACTER;
  let lastSolid = NO_CHARACTER;
  const stopCodes = new Set(stops.map((stop) => stop.charCodeAt(0)));
  while (closers.length > 0) {
    const code = source.peek();
    if (code === NO_CHARACTER) {
      if (!(yield* hasMore(source))) return 'cut';
      continue;
    }
    if (stopCodes.has(code) && (quote === NO_CHARACTER || CLOSERS.has(lastSolid))) {
      const at = source.position;
      if ((yield* readMarker(source, stops)) !== null) {
        source.seek(at);
        return 'stop';
      }
    }
    if (delimiter !== null && code === LESS_THAN && (yield* readMarker(source, [delimiter])) !== null) {
      if ((yield* readToDelimiter(source, delimiter)) === 'cut') return 'cut';
      continue;
    }
    source.advance();
    if (!isBlank(code)) lastSolid = code;
    if (quote !== NO_CHARACTER) {
      if (code === BACKSLASH) {
        if (!(yield* hasMore(source))) return 'cut';
        source.advance();
      } else if (code === quote) quote = NO_CHARACTER;
    } else if (delimiter === null && (code === DOUBLE_QUOTE || code === SINGLE_QUOTE)) quote = code;
    else if (code === OPEN_BRACE) closers.push(CLOSE_BRACE);
    else if (code === OPEN_BRACKET) closers.push(CLOSE_BRACKET);
    else if (code === OPEN_PAREN && delimiter === null) closers.push(CLOSE_PAREN);
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET || (code === CLOSE_PAREN && delimiter === null)) {
      if (closers.pop() !== code) return 'mismatch';
    }
  }
  return 'closed';
}

function* readToDelimiter(source: Source, delimiter: string): TextReading<'closed' | 'cut'> {
  for (;;) {
    const code = source.peek();
    if (code === NO_CHARACTER) {
      if (!(yield* hasMore(source))) return 'cut';
      continue;
    }
    if (code === LESS_THAN && (yield* readMarker(source, [delimiter])) !== null) return 'closed';
    source.advance();
  }
}
