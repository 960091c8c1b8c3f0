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
  const parsed = parseJson(trimmed);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  if (isWithoutArguments(trimmed)) return cut ? null : {};
  if (!parsed.ok) return readLoosely(trimmed) ?? readEscaped(trimmed, cut);
  // Some servers send the object as a JSON string, or as one in another, or as the only element of a list.
  if (typeof parsed.value === 'string') return readArguments(parsed.value, cut);
  const [only = null, ...others] = Array.isArray(parsed.value) ? parsed.value : [];
  return others.length === 0 && isJsonObject(only) ? only : null;
}

/** The arguments as the JSON of a string without its quotes: `{\"cmd\":\"ls\"}`. */
function readEscaped(text: string, cut: boolean): JsonObject | null {
  if (!text.startsWith('{') || !text.includes('\\"')) return null;
  const parsed = parseJson(`"${text}"`);
  return parsed.ok && typeof parsed.value === 'string' ? readArguments(parsed.value, cut) : null;
}

/** Arguments as text: servers send the object itself, or null. */
export function toArgumentsText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * True if both texts contain the same arguments, or one of them none, or only the beginning of the other: a start without
 * its arguments is no evidence.
 */
export function haveSameArguments(one: string, other: string): boolean {
  const [first, second] = [readArguments(one, false), readArguments(other, false)];
  if (first === null || second === null) {
    const [begin, whole] = first === null ? [one.trim(), other.trim()] : [other.trim(), one.trim()];
    return whole.startsWith(begin);
  }
  return isEmpty(first) || isEmpty(second) || canonicalJson(first) === canonicalJson(second);
}

/** True if the text contains no argument: PHP writes an empty object as a list, JavaScript and Python their empty values. */
export function isWithoutArguments(text: string): boolean {
  return text.length < MAX_EMPTY && new RegExp(`^\\s*(?:${EMPTY_VALUE})?\\s*$`).test(text);
}

const EMPTY_VALUE = String.raw`\{\s*\}|\[\s*\]|""|null|None|undefined`;

const MAX_EMPTY = 40;

/**
 * Objects with the usual mistakes of models (raw newlines in strings, trailing commas, comments, Python literals),
 * several in a row, or in a code fence. Proxies send an empty value before the arguments, or the arguments twice: of
 * several objects, the one that contains all others is meant.
 */
function readLoosely(text: string): JsonObject | null {
  const begin = text.indexOf('{');
  if (begin === -1 || begin > MAX_EMPTY || !BEFORE_OBJECT.test(text.slice(0, begin))) return null;
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

const BEFORE_OBJECT = new RegExp(`^(?:${EMPTY_VALUE}|json\\b|[\`\\s\ufeff])*$`, 'i');

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
