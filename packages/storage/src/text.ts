import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';

/** How JSON.stringify writes NUL and lone surrogates. A backslash someone wrote looks alike: the slow way sorts it out. */
const SUSPECT = /\\u(?:0000|d[89a-f])/;

/**
 * Text every engine can keep: NUL and lone surrogates become U+FFFD.
 */
export function scrubText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Plain JSON as text for a column, scrubbed, keys too. Throws where the value is no JSON (undefined, a function). */
export function encodeJson(value: unknown): string {
  const text = toJson(value);
  return SUSPECT.test(text) ? toJson(value, scrubValue) : text;
}

/** The value of a column this room wrote. Throws where the text is no JSON: the file was changed by somebody else. */
export function decodeJson(text: string): JsonValue {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new TypeError(`a stored value is no JSON: ${parsed.problem}`);
  return parsed.value;
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
