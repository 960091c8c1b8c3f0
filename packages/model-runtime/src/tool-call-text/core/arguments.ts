import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import { readBalanced } from './balance.ts';
import { readJson } from './json-scanner.ts';
import { parseLenient } from './literal.ts';
import { isBlank, skipBlanks, type TextReading } from './reading.ts';
import type { Source } from './source.ts';

/** The arguments of a call, or the error. */
export type ArgumentsRead = { ok: true; arguments: JsonObject } | { ok: false; reason: string; isCut: boolean };

/**
 * Reads the JSON object with a call's arguments. If invalid, leaves the cursor before the first of `stops` inside it,
 * so that one missing quote does not swallow the next call; without such a stop, after its closing brace; without
 * `stops`, at the error.
 */
export function* readArguments(source: Source, stops: CallBoundaries): TextReading<ArgumentsRead> {
  yield* skipBlanks(source);
  const from = source.position;
  const json = yield* readJson(source);
  if (json.kind === 'whole') {
    const parsed = parseLenient(json.text);
    const args = parsed.ok ? toArguments(parsed.value) : null;
    if (args !== null) return { ok: true, arguments: args };
    return { ok: false, reason: 'the arguments are not a JSON object', isCut: false };
  }
  if (json.kind === 'cut') return { ok: false, reason: 'the JSON of the call is cut off', isCut: true };
  const all = [...stops.ends, ...stops.starts];
  if (!rewindToHiddenEnd(source, from, stops) && all.length > 0)
    yield* readBalanced(source, json.closers, { stops: all });
  return { ok: false, reason: 'the arguments are not JSON', isCut: false };
}

/** Accepts arguments as an object, as a JSON string with an object, or absent. */
export function toArguments(value: JsonValue | undefined): JsonObject | null {
  if (value === undefined || value === null) return {};
  if (isJsonObject(value)) return value;
  if (typeof value !== 'string') return null;
  if (value.trim() === '') return {};
  const parsed = parseLenient(value);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
}

/** What ends a call, and what starts the next one. */
export type CallBoundaries = { ends: readonly string[]; starts: readonly string[] };

/**
 * An unclosed string may contain the end of the call: rewinds to before it. A marker counts only where a call can end,
 * after a bracket, and only if the next call or the end of the text follows. Any other marker is part of the string,
 * and text after it must never be parsed as calls.
 */
export function rewindToHiddenEnd(source: Source, from: number, { ends, starts }: CallBoundaries): boolean {
  const hidden = source.text(from, source.position);
  const all = [...ends, ...starts];
  source.examined += hidden.length * all.length;
  const places = [
    ...ends.map((end) => findStop(hidden, end, (rest) => rest === '' || all.some((stop) => rest.startsWith(stop)))),
    ...starts.map((start) => findStop(hidden, start, () => true)),
  ].filter((at) => at !== -1);
  if (places.length === 0) return false;
  source.seek(from + Math.min(...places));
  return true;
}

function findStop(text: string, stop: string, mayFollow: (rest: string) => boolean): number {
  for (let at = text.indexOf(stop); at !== -1; at = text.indexOf(stop, at + stop.length)) {
    const after = at + stop.length;
    if (followsBracket(text, at) && mayFollow(text.slice(after, after + MAX_STOP_LENGTH).trimStart())) return at;
  }
  return -1;
}

/** Longer than any marker with the whitespace before it. */
const MAX_STOP_LENGTH = 80;

/** True if a closing bracket precedes `at`, ignoring whitespace. */
export function followsBracket(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && isBlank(text.charCodeAt(before))) before -= 1;
  return before >= 0 && '}])'.includes(text.charAt(before));
}
