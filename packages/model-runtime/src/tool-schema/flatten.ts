import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import { readObject, readObjects } from '../wire/json-values.ts';

/** How often a definition is written in its own place before a recursive one is cut. */
const MAX_UNROLLED = 2;

/** Limits the work of a schema whose definitions refer to each other many times. */
export type FlattenBudget = { left: number };

/** A schema without references and `allOf` at its top, and the references that were followed to it. */
export type FlatSchema = { schema: JsonObject; followed: readonly string[]; cut: boolean };

/** The value a local reference points to; undefined if it leads nowhere. */
export function resolveReference(root: JsonObject, reference: string): JsonValue | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let value: JsonValue | undefined = root;
  for (const piece of reference.slice(2).split('/')) {
    const key = decoded(piece).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = value[Number(key)];
    else if (isJsonObject(value) && Object.hasOwn(value, key)) value = value[key];
    else return undefined;
  }
  return value;
}

function decoded(piece: string): string {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}

/**
 * Merges what a schema refers to and what its `allOf` lists into one object. `choices`: also its alternatives, as
 * {@link withUnion} does. A reference that leads nowhere is dropped.
 */
export function flatten(
  root: JsonObject,
  value: JsonObject,
  followed: readonly string[],
  choices: boolean,
  budget: FlattenBudget,
): FlatSchema {
  const { $ref: reference, allOf, ...rest } = withoutNulls(value);
  let flat: FlatSchema = { schema: rest, followed, cut: false };
  budget.left -= 1;
  if (budget.left < 0) return { ...flat, cut: true };
  const add = (inner: JsonObject, from: readonly string[]): void => {
    const { schema, followed: seen, cut } = flatten(root, inner, from, choices, budget);
    flat = { schema: merged(flat.schema, schema), followed: seen, cut: flat.cut || cut };
  };
  if (typeof reference === 'string') {
    const target = resolveReference(root, reference);
    if (followed.filter((each) => each === reference).length >= MAX_UNROLLED) flat = { ...flat, cut: true };
    else if (isJsonObject(target)) add(target, [...followed, reference]);
  }
  for (const inner of readObjects(allOf)) add(inner, flat.followed);
  return choices ? { ...flat, schema: withUnion(root, flat, budget) } : flat;
}

/**
 * A schema of an object without alternatives: it has the properties of all of them, and requires what every one
 * requires. Properties of conditions are offered, and not required.
 */
function withUnion(root: JsonObject, { schema, followed }: FlatSchema, budget: FlattenBudget): JsonObject {
  const { anyOf, oneOf, if: _, then, else: otherwise, dependentSchemas, ...rest } = schema;
  const optional = [then, otherwise, ...(isJsonObject(dependentSchemas) ? Object.values(dependentSchemas) : [])];
  const either = [anyOf, oneOf].map(readObjects).filter((list) => list.length > 0);
  const all = [...either.flat(), ...readObjects(optional)];
  if (all.length === 0) return rest;
  const expanded = new Map(all.map((each) => [each, flatten(root, each, followed, true, budget).schema]));
  const properties = new Map<string, JsonValue[]>();
  for (const form of [rest, ...expanded.values()]) {
    for (const [key, property] of Object.entries(readProperties(form))) {
      const known = properties.get(key) ?? [];
      if (!known.some((each) => JSON.stringify(each) === JSON.stringify(property))) known.push(property);
      properties.set(key, known);
    }
  }
  const required = new Set(readRequired(rest));
  for (const list of either) {
    const [first = [], ...others] = list.map((each) => readRequired(expanded.get(each) ?? {}));
    for (const name of first) if (others.every((names) => names.includes(name))) required.add(name);
  }
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(
      [...properties].map(([key, forms]) => [key, forms.length === 1 ? (forms[0] ?? {}) : { anyOf: forms }]),
    ),
    required: [...required],
  };
}

function merged(first: JsonObject, second: JsonObject): JsonObject {
  const properties = { ...readProperties(second), ...readProperties(first) };
  const required = [...new Set([...readRequired(first), ...readRequired(second)])];
  return {
    ...second,
    ...first,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** Servers written in Go send `null` for what is absent. */
function withoutNulls(schema: JsonObject): JsonObject {
  return Object.values(schema).includes(null)
    ? Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== null))
    : schema;
}

export function readProperties(schema: JsonObject): JsonObject {
  return readObject(schema['properties']);
}

export function readRequired(schema: JsonObject): string[] {
  const { required } = schema;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
