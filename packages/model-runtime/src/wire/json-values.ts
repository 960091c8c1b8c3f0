import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';

/** A text in a response; empty for any other value. */
export function readText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A text in a response; undefined for any other value. */
export function findText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** An object in a response; without members for any other value. */
export function readObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The objects of a list; none for any other value. */
export function readObjects(value: JsonValue | undefined | readonly (JsonValue | undefined)[]): JsonObject[] {
  return Array.isArray(value) ? value.filter((each) => each !== undefined && isJsonObject(each)) : [];
}

/** The type of a value in JSON Schema; `number` for any number. */
export function typeOfJson(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A number of tokens; undefined for any other value. */
export function readCount(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

/** A sum of tokens of which the further ones may be missing; undefined without the first. */
export function sumOfCounts(first: number | undefined, ...further: (number | undefined)[]): number | undefined {
  return first === undefined ? undefined : further.reduce<number>((sum, each) => sum + (each ?? 0), first);
}
