import type { FormField, FormOption, JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject, parseJson, readForm } from '@toolyard/protocol';

/** One argument of a call as a form field. `json`: a value that no simple field can hold is edited as JSON. */
export type ArgumentField = { name: string; label: string; description?: string; required: boolean } & (
  | { kind: 'text' | 'number' | 'integer' | 'boolean' | 'json' }
  | { kind: 'choice'; options: readonly FormOption[] }
);

/** Why the text is not a valid value of its field: the text that says so. */
export type ArgumentFault = 'number' | 'integer' | 'badJson' | 'required';

const MAX_FIELDS = 60;

/**
 * Form fields for a call: the properties of the tool's schema and additional arguments of the model. A value that does
 * not fit its field, and all values without a schema, get a field by their own type.
 */
export function argumentFields(schema: JsonObject | null, values: JsonObject): ArgumentField[] {
  const properties = schema !== null && isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(schema !== null && Array.isArray(schema['required']) ? schema['required'] : []);
  const named = Object.keys(properties);
  const names = [...named, ...Object.keys(values).filter((name) => !Object.hasOwn(properties, name))];
  const shown = names.length <= MAX_FIELDS ? names : names.filter((name) => Object.hasOwn(values, name));
  return shown.map((name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const known = Object.hasOwn(properties, name) ? fieldOfSchema(name, properties[name]) : null;
    const base = {
      name,
      label: known?.label ?? name,
      required: required.has(name),
      ...(known?.description === undefined ? {} : { description: known.description }),
    };
    if (known !== null && holds(known, value)) return { ...base, ...getKind(known) };
    return { ...base, kind: value === undefined ? 'json' : kindOfValue(value) };
  });
}

function fieldOfSchema(name: string, schema: JsonValue | undefined): FormField | null {
  if (!isJsonObject(schema)) return null;
  const read = readForm({ properties: { [name]: schema } });
  return 'fields' in read ? (read.fields[0] ?? null) : null;
}

function getKind(
  field: FormField,
): { kind: Exclude<ArgumentField['kind'], 'choice'> } | { kind: 'choice'; options: readonly FormOption[] } {
  switch (field.type) {
    case 'choice':
      return { kind: 'choice', options: field.options };
    case 'number':
      return { kind: field.integer ? 'integer' : 'number' };
    case 'choices':
      return { kind: 'json' };
    default:
      return { kind: field.type };
  }
}

function holds(field: FormField, value: JsonValue | undefined): boolean {
  if (value === undefined) return true;
  switch (field.type) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' && (!field.integer || Number.isInteger(value));
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
      return field.options.some((option) => option.value === value);
    case 'choices':
      return true;
  }
}

function kindOfValue(value: JsonValue): 'text' | 'number' | 'boolean' | 'json' {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'json';
}

/** A value as text of its field; empty if it is absent. */
export function textOfValue(field: ArgumentField, value: JsonValue | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' && field.kind !== 'json' ? value : JSON.stringify(value, null, 2);
}

/** Parses the text of a field; an empty optional field omits its argument. */
export function readArgument(
  field: ArgumentField,
  typed: string,
): { ok: true; value: JsonValue | undefined } | { ok: false; fault: ArgumentFault } {
  if (field.kind === 'text') return { ok: true, value: typed === '' && !field.required ? undefined : typed };
  const text = typed.trim();
  if (text === '') return field.required ? { ok: false, fault: 'required' } : { ok: true, value: undefined };
  switch (field.kind) {
    case 'choice':
      return { ok: true, value: typed };
    case 'boolean':
      return { ok: true, value: text === 'true' };
    case 'number':
    case 'integer': {
      const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
      if (!Number.isFinite(value)) return { ok: false, fault: 'number' };
      if (field.kind === 'integer' && !Number.isInteger(value)) return { ok: false, fault: 'integer' };
      return { ok: true, value };
    }
    case 'json': {
      const read = parseJson(text);
      return read.ok ? { ok: true, value: read.value } : { ok: false, fault: 'badJson' };
    }
  }
}
