import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';

/**
 * JSON.stringify's escapes of NUL and lone surrogates. A literal backslash looks the same and is sorted out in the slow
 * path.
 */
const ESCAPES = /\\u(?:0000|d[89a-f])/;

/** Text that every engine can store: NUL and lone surrogates become U+FFFD. */
export function scrubText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** JSON as text for a column, scrubbed including keys. Throws if the value is not JSON (undefined, a function). */
export function encodeJson(value: unknown): string {
  const text = toJson(value);
  return ESCAPES.test(text) ? toJson(value, scrubValue) : text;
}

/** Parses a column written by this package. Throws if the text is not JSON: another program changed the file. */
export function decodeJson(text: string): JsonValue {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new TypeError(`a stored value is not valid JSON: ${parsed.problem}`);
  return parsed.value;
}

/** The same for an object that the caller validates; empty if it is not an object. */
export function decodeObject(text: string): JsonObject {
  const value = decodeJson(text);
  return isJsonObject(value) ? value : {};
}

function toJson(value: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  const text = JSON.stringify(value, replacer) as string | undefined;
  if (text === undefined) throw new TypeError('only plain JSON can be stored');
  return text;
}

function scrubValue(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return scrubText(value);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value);
  if (keys.every((key) => scrubText(key) === key)) return value;
  return Object.fromEntries(keys.map((key) => [scrubText(key), value[key]]));
}
