import type { JsonValue } from '@toolyard/protocol';

/**
 * False for keys that make Node 24's own `JSON.parse` read other keys wrongly: once it has seen one that holds a
 * backslash (`{"\\\\":1}`), an escaped one at the same place (`{"\\n":1}`) may come back as the first. Whoever makes up
 * JSON leaves such keys out, for the whole of a test file.
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
