import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import { toArguments } from './arguments.ts';

/** A call parsed from a JSON object, or the reason why it is not one. */
export type CallObject =
  | { ok: true; name: string; arguments: JsonObject; id: string | null; hasArguments: boolean }
  | { ok: false; reason: string };

/** Names that families use for the parts of a call. */
const NAMES = ['name', 'tool_name', 'function_name'];
const ARGUMENTS = ['arguments', 'parameters', 'args'];
const IDS = ['id', 'tool_call_id', 'call_id'];

/**
 * First keys that identify an object as a call; of these, those that contain the tool name, and those that are weak
 * evidence.
 */
export const CALL_KEYS: ReadonlySet<string> = new Set([...NAMES, ...ARGUMENTS, ...IDS, 'function', 'type']);
export const NAME_KEYS: ReadonlySet<string> = new Set(NAMES);
export const IDLE_KEYS: ReadonlySet<string> = new Set([...IDS, 'type']);
/** Values of `type` that mark a call. */
export const CALL_TYPES: ReadonlySet<string> = new Set(['function', 'tool_call', 'tool_use', 'function_call']);

/**
 * Reads `{"name": …, "arguments": …}` in the variants of models: keys in any order and by other names, arguments as a
 * JSON string or omitted, wrapped in `{"type": "function", "function": …}`.
 */
export function readCallObject(value: JsonValue): CallObject {
  if (!isJsonObject(value)) return { ok: false, reason: 'it is not a JSON object' };
  const inner = value['function'];
  const call = isJsonObject(inner) ? inner : value;

  const written = first(call, NAMES) ?? (typeof inner === 'string' ? inner : undefined);
  if (typeof written !== 'string' || written.trim() === '') return { ok: false, reason: 'it has no "name"' };
  const name = written.trim();

  const argumentsValue = first(call, ARGUMENTS);
  const args = toArguments(argumentsValue);
  if (args === null) return { ok: false, reason: `the arguments of "${name.slice(0, 80)}" are not a JSON object` };
  return { ok: true, name, arguments: args, id: readId(value), hasArguments: argumentsValue !== undefined };
}

/** Reads `{"f": {…}}`: the name is the key. */
export function readKeyedCall(value: JsonValue): CallObject {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  const [entry] = entries;
  if (entry === undefined || entries.length > 1)
    return { ok: false, reason: 'it is not an object with one name and its arguments' };
  const args = toArguments(entry[1]);
  if (args === null) return { ok: false, reason: `the arguments of "${entry[0].slice(0, 80)}" are not a JSON object` };
  return { ok: true, name: entry[0], arguments: args, id: null, hasArguments: true };
}

function first(object: JsonObject, keys: readonly string[]): JsonValue | undefined {
  const key = keys.find((name) => Object.hasOwn(object, name));
  return key === undefined ? undefined : object[key];
}

function readId(value: JsonObject): string | null {
  const id = first(value, IDS);
  if (typeof id === 'number') return String(id);
  return typeof id === 'string' && id !== '' ? id : null;
}
