import { isJsonObject, parseJson, type JsonObject } from '@toolyard/protocol';

/**
 * The arguments of a call; null if they are not a JSON object. Empty text means no arguments, unless the answer was
 * truncated (`cut`) at the token limit. Some servers send the object as a JSON string.
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
