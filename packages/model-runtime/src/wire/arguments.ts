import { isJsonObject, parseJson, type JsonObject } from '@toolyard/protocol';

/**
 * The arguments of a call; null where they are no JSON object. Nothing means none, unless the answer was `cut` at the
 * limit of tokens: then they were perhaps not reached. Some servers write the object as a string of JSON.
 */
export function readArguments(text: string, cut: boolean): JsonObject | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === 'null') return cut ? null : {};
  const parsed = parseJson(trimmed);
  if (!parsed.ok) return null;
  if (isJsonObject(parsed.value)) return parsed.value;
  if (typeof parsed.value !== 'string') return null;
  const inner = parseJson(parsed.value);
  return inner.ok && isJsonObject(inner.value) ? inner.value : null;
}
