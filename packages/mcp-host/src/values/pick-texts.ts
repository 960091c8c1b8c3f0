import type { JsonObject } from '@toolyard/protocol';

/** Those of these members that are texts. */
export function pickTexts<Key extends string>(value: JsonObject, keys: readonly Key[]): { [K in Key]?: string } {
  const found = keys.filter((key) => typeof value[key] === 'string').map((key) => [key, value[key]]);
  return Object.fromEntries(found) as { [K in Key]?: string };
}
