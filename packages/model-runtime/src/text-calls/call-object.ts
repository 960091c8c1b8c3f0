import { isJsonObject, parseJson, type JsonObject, type JsonValue, type ParsedJson } from '@toolyard/protocol';

/** A call read out of a JSON object, or why it is none. */
export type CallObject = { ok: true; name: string; arguments: JsonObject } | { ok: false; reason: string };

/**
 * Reads `{"name": …, "arguments": …}` as models write it: keys in any order, `parameters` for `arguments`, arguments as
 * a JSON string or left out.
 */
export function readCallObject(json: string): CallObject {
  const parsed = parseLenientJson(json);
  if (!parsed.ok) return { ok: false, reason: `the JSON could not be read: ${parsed.problem}` };
  if (!isJsonObject(parsed.value)) return { ok: false, reason: 'it is not a JSON object' };

  const name = parsed.value['name'];
  if (typeof name !== 'string' || name.trim() === '') return { ok: false, reason: 'it has no "name"' };

  const args = toArguments(parsed.value['arguments'] ?? parsed.value['parameters']);
  if (args === null)
    return { ok: false, reason: `the arguments of "${name.trim().slice(0, 80)}" are not a JSON object` };
  return { ok: true, name: name.trim(), arguments: args };
}

function toArguments(value: JsonValue | undefined): JsonObject | null {
  if (value === undefined || value === null) return {};
  if (isJsonObject(value)) return value;
  if (typeof value !== 'string') return null;
  if (value.trim() === '') return {};
  const parsed = parseLenientJson(value);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
}

/** Reads JSON in whose strings raw newlines and tabs may stand: small models write those, and they mean themselves. */
function parseLenientJson(json: string): ParsedJson {
  const strict = parseJson(json);
  if (strict.ok) return strict;
  const repaired = escapeRawControls(json);
  if (repaired === json) return strict;
  const second = parseJson(repaired);
  return second.ok ? second : strict;
}

function escapeRawControls(json: string): string {
  let out = '';
  let from = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (inString && code === 92) {
      at += 1;
      continue;
    }
    if (code === 34) inString = !inString;
    if (!inString || code >= 32) continue;
    out += `${json.slice(from, at)}\\u${code.toString(16).padStart(4, '0')}`;
    from = at + 1;
  }
  return out + json.slice(from);
}
