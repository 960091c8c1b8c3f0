import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject, pathOf } from '@toolyard/protocol';
import type { Routes } from '@toolyard/protocol/schemas';
import { DEPRECATED_AT, deprecatedFields, deprecatedRoutes, schemaNames } from '@toolyard/protocol/schemas';
import { z } from 'zod';
import type { AppContext } from './types.ts';

/** The old paths of a route. */
export function formerPathsOf(key: keyof Routes): string[] {
  const former = Object.entries(deprecatedRoutes).filter(([, successor]) => successor === key);
  return former.map(([old]) => old.slice(old.indexOf(' ') + 1));
}

/** Marks the response of a renamed route (RFC 9745) and names its successor. */
export function announceSuccessor(c: AppContext, successor: string): void {
  markDeprecated(c);
  c.res.headers.set('link', `<${pathOf(successor, { params: c.req.param() })}>; rel="successor-version"`);
}

export function markDeprecated(c: AppContext): void {
  c.res.headers.set('deprecation', `@${DEPRECATED_AT}`);
}

/** Renames old fields of a request body; `changed`: there was one. */
export function renameFormerFields(schema: z.ZodType, body: JsonValue): { body: JsonValue; changed: boolean } {
  const fields = Object.entries(fieldsOf(schema));
  if (!isJsonObject(body)) return { body, changed: false };
  const renamed = { ...body };
  let changed = false;
  for (const [old, name] of fields) {
    const value = body[old];
    // If both names are present, validation rejects the old one.
    if (value === undefined || body[name] !== undefined) continue;
    Reflect.deleteProperty(renamed, old);
    renamed[name] = value;
    changed = true;
  }
  return { body: changed ? renamed : body, changed };
}

/**
 * Returns a function that adds renamed fields under their old names to a response, and to the objects directly inside
 * it.
 */
export function formerFieldsAdder(schema: z.ZodType | undefined): (answer: unknown) => unknown {
  if (schema === undefined) return (answer) => answer;
  const own = fieldsOf(schema);
  const shape = schema instanceof z.ZodObject ? Object.entries(schema.shape) : [];
  const inner = shape
    .map(([name, field]: [string, z.ZodType]) => [name, fieldsOf(contentOf(field))] as const)
    .filter(([, fields]) => Object.keys(fields).length > 0);
  if (Object.keys(own).length === 0 && inner.length === 0) return (answer) => answer;
  return (answer) => {
    const added = withFormerFields(answer, own);
    if (!isObject(added)) return added;
    for (const [name, fields] of inner) {
      const value = added[name];
      added[name] = Array.isArray(value)
        ? value.map((each: unknown) => withFormerFields(each, fields))
        : withFormerFields(value, fields);
    }
    return added;
  };
}

function withFormerFields(value: unknown, fields: Readonly<Record<string, string>>): unknown {
  if (!isObject(value)) return value;
  const former = Object.entries(fields).filter(([, name]) => value[name] !== undefined);
  return { ...value, ...Object.fromEntries(former.map(([old, name]) => [old, value[name]])) };
}

function fieldsOf(schema: z.ZodType): Readonly<Record<string, string>> {
  return deprecatedFields[schemaNames.get(schema)?.id ?? ''] ?? {};
}

/** The schema inside an array, or inside a nullable or optional field. */
function contentOf(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodArray) return contentOf(schema.element as z.ZodType);
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return contentOf(schema.unwrap() as z.ZodType);
  return schema;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
