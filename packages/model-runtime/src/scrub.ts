import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';

/**
 * Text that every server accepts: lone surrogates become U+FFFD (Python servers fail on them), NUL is removed (some
 * databases reject it).
 */
export function scrub(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '') : wellFormed;
}

/** {@link scrub} for every key and string of a JSON object; returns the same object if nothing changes. */
export function scrubJson(value: JsonObject): JsonObject {
  const json = JSON.stringify(value);
  // JSON.stringify writes lone surrogates and NUL as escapes; a false positive costs one copy.
  if (!json.includes('\\ud') && !json.includes('\\u0000')) return value;
  const scrubbed = scrubValue(value);
  return isJsonObject(scrubbed) ? scrubbed : value;
}

function scrubValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return scrub(value);
  if (Array.isArray(value)) return value.map(scrubValue);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [scrub(key), scrubValue(inner)]));
}
