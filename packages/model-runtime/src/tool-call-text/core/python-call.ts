import type { JsonObject } from '@toolyard/protocol';
import { readBalanced } from './balance.ts';
import { parseKeywords } from './literal.ts';
import { hasMore, isNameStart, readName, skipBlanks, type TextReading } from './reading.ts';
import { NO_CHARACTER, type Source } from './source.ts';
import { CLOSE_PAREN, EQUALS, OPEN_PAREN } from './codes.ts';

/** `none`: there is no call here. `broken` and `cut`: a call started but is invalid or truncated. */
export type PythonCall =
  | { kind: 'call'; name: string; arguments: JsonObject }
  | { kind: 'none' }
  | { kind: 'broken' | 'cut'; name: string };

/** Reads `f(a='x', b=1)`. Leaves the cursor at the first error. */
export function* readPythonCall(source: Source): TextReading<PythonCall> {
  const name = yield* readName(source);
  if (name === null || name === '' || !isNameStart(name.charCodeAt(0))) return { kind: 'none' };
  if (source.peek() !== OPEN_PAREN) return { kind: 'none' };
  source.advance();

  const from = source.position;
  const begins = yield* beginsArguments(source);
  if (begins !== 'yes') return { kind: begins === 'cut' ? 'cut' : 'broken', name };
  source.seek(from);
  const balance = yield* readBalanced(source, [CLOSE_PAREN]);
  if (balance !== 'closed') return { kind: balance === 'cut' ? 'cut' : 'broken', name };
  const text = source.text(from, source.position - 1);
  source.examined += text.length;
  const args = parseKeywords(text);
  return args === undefined ? { kind: 'broken', name } : { kind: 'call', name, arguments: args };
}

/** Arguments are named or absent, which distinguishes calls from links and formulas early. */
function* beginsArguments(source: Source): TextReading<'yes' | 'no' | 'cut'> {
  const code = yield* skipBlanks(source);
  if (code === CLOSE_PAREN) return 'yes';
  if (code === NO_CHARACTER) return 'cut';
  if (!isNameStart(code)) return 'no';
  yield* readName(source);
  const next = yield* skipBlanks(source);
  if (next === NO_CHARACTER && !(yield* hasMore(source))) return 'cut';
  return next === EQUALS ? 'yes' : 'no';
}
