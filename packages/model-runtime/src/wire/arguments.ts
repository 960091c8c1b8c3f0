import { canonicalJson, isJsonObject, parseJson, type JsonObject, type JsonValue } from '@toolyard/protocol';
import { parseLiteralAt } from '../tool-call-text/core/literal.ts';

/**
 * The arguments of a call; null if they are not a JSON object. Empty text means no arguments, unless the answer was
 * truncated (`cut`) at the token limit.
 *
 * Rule: whatever can be read in only one way is read, and a truncated object never is.
 */
export function readArguments(text: string, cut: boolean): JsonObject | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === 'null') return cut ? null : {};
  const parsed = parseJson(trimmed);
  if (!parsed.ok) return readLoosely(trimmed);
  if (isJsonObject(parsed.value)) return parsed.value;
  // Some servers send the object as a JSON string, or as one in another.
  return typeof parsed.value === 'string' ? readArguments(parsed.value, cut) : null;
}

/** True if both texts contain the same arguments, or one of them none: a start without its arguments is no evidence. */
export function haveSameArguments(one: string, other: string): boolean {
  const [first, second] = [readArguments(one, false), readArguments(other, false)];
  if (first === null || second === null) return one.trim() === other.trim();
  return isEmpty(first) || isEmpty(second) || canonicalJson(first) === canonicalJson(second);
}

/** True if the text contains no argument. */
export function isWithoutArguments(text: string): boolean {
  return text.length < MAX_EMPTY && /^\s*(?:\{\s*\}\s*|null\s*)?$/.test(text);
}

const MAX_EMPTY = 40;

/**
 * Objects with the usual mistakes of models (raw newlines in strings, trailing commas, Python literals), several in a
 * row, or in a code fence. Proxies send `{}` before the arguments, or the arguments twice: of several objects, the one
 * that contains all others is meant.
 */
function readLoosely(text: string): JsonObject | null {
  const begin = text.indexOf('{');
  if (begin === -1 || !/^[`\s]*(?:json\s*)?$/i.test(text.slice(0, begin))) return null;
  const objects: JsonObject[] = [];
  let at = begin;
  while (text.charAt(at) === '{') {
    const read = parseLiteralAt(text, at);
    if (read === undefined || !isJsonObject(read.value)) break;
    objects.push(read.value);
    at = read.end;
    while (/\s/.test(text.charAt(at))) at += 1;
  }
  if (objects.length === 0 || !isIgnorable(text.slice(at), text.slice(begin))) return null;
  return objects.find((object) => objects.every((other) => contains(object, other))) ?? null;
}

/** True for brackets, markup and fences after an object, and for the start of a repetition of `before`. */
function isIgnorable(rest: string, before: string): boolean {
  return /^[^\w{["']*$/.test(rest.replace(/<[^<>{}"]{1,80}>/g, '')) || before.startsWith(rest);
}

function contains(object: JsonObject, other: JsonObject): boolean {
  return Object.entries(other).every(
    ([key, value]) => Object.hasOwn(object, key) && isSame(object[key] ?? null, value),
  );
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0;
}
