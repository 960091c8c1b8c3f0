import type { JsonObject, JsonValue } from '@toolyard/protocol';
import type { WrittenCall } from '../types.ts';

/** `{"name": …, "arguments": …}`, the format of most families. */
export function toJsonCall({ name, arguments: args }: WrittenCall): string {
  return `{"name": ${JSON.stringify(name)}, "arguments": ${JSON.stringify(args)}}`;
}

/** The calls as a JSON array. */
export function toJsonList(calls: readonly WrittenCall[]): string {
  return `[${calls.map(toJsonCall).join(', ')}]`;
}

/** A value as the text of an XML-like argument: strings unchanged, other values as JSON. */
export function toTagText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The same as XML: entities are decoded when it is parsed. */
export function toXmlText(value: JsonValue): string {
  return typeof value === 'string' ? value.replaceAll('&', '&amp;').replaceAll('<', '&lt;') : JSON.stringify(value);
}

/** `f(a="x", b=True)`. */
export function toPythonCall({ name, arguments: args }: WrittenCall): string {
  const pairs = Object.entries(args).map(([key, value]) => `${key}=${toPython(value)}`);
  return `${name}(${pairs.join(', ')})`;
}

function toPython(value: JsonValue): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(toPython).join(', ')}]`;
  if (typeof value === 'object') {
    const pairs = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${toPython(item)}`);
    return `{${pairs.join(', ')}}`;
  }
  return JSON.stringify(value);
}

/** Formats each argument and joins the results. */
export function eachArgument(args: JsonObject, write: (key: string, value: JsonValue) => string): string {
  return Object.entries(args)
    .map(([key, value]) => write(key, value))
    .join('');
}
