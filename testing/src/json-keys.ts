import type { JsonValue } from '@toolyard/protocol';

/**
 * False for keys that make `JSON.parse` of Node 24 read other keys wrongly: after one that contains a backslash
 * (`{"\\\\":1}`), an escaped one at the same place (`{"\
 * ":1}`) may be returned as the first. Generators of JSON avoid such keys in the whole test file.
 */
export function isKeyReadByNode(key: string): boolean {
  return !key.includes('\\');
}

/** The same for every key of a value. */
export function areKeysReadByNode(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(areKeysReadByNode);
  return Object.entries(value).every(([key, inner]) => isKeyReadByNode(key) && areKeysReadByNode(inner));
}
