import type { JsonObject } from '@toolyard/protocol';
import { canonicalJson } from '@toolyard/protocol';

const FNV_PRIME = 0x01000193;

/**
 * A short hash of a tool name and arguments, independent of the order of keys. Two lanes of 32-bit FNV-1a; not
 * cryptographic, since a collision would only count two different calls as one.
 */
export function callFingerprint(name: string, args: JsonObject): string {
  const text = `${name} ${canonicalJson(args)}`;
  let forward = 0x811c9dc5;
  let backward = 0x811c9dc5;
  for (let i = 0, j = text.length - 1; i < text.length; i++, j--) {
    forward = Math.imul(forward ^ text.charCodeAt(i), FNV_PRIME);
    backward = Math.imul(backward ^ text.charCodeAt(j), FNV_PRIME);
  }
  return (forward >>> 0).toString(36) + (backward >>> 0).toString(36);
}
