/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** A JSON object: tool arguments, structured results, JSON Schemas. */
export type JsonObject = { [key: string]: JsonValue };

/** The result of {@link parseJson}. `problem` is the parser's message, safe to show. */
export type ParsedJson = { ok: true; value: JsonValue } | { ok: false; problem: string };

/**
 * Parses untrusted JSON. Never throws.
 *
 * @example
 * const parsed = parseJson('{"a":1}');
 * if (parsed.ok && isJsonObject(parsed.value)) use(parsed.value);
 */
export function parseJson(text: string): ParsedJson {
  try {
    // oxlint-disable-next-line core/no-restricted-syntax -- the one place where untrusted JSON is parsed
    return { ok: true, value: JSON.parse(text) as JsonValue };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : 'not JSON' };
  }
}

/** True for `{...}`: not for arrays, not for null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Equal text for equal values, whatever the order of their keys. Recognizes a repeated call. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const pairs = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${pairs.join(',')}}`;
}
