import type { JsonObject, JsonValue } from './json.ts';
import { isJsonObject } from './json.ts';
import { defined } from './defined.ts';

export type FormOption = { value: string; label: string };

/** One field of a server's form; label and description are the server's text. */
export type FormField = { name: string; label: string; description?: string; required: boolean } & (
  | {
      type: 'text';
      format?: 'email' | 'uri' | 'date' | 'date-time';
      minLength?: number;
      maxLength?: number;
      default?: string;
    }
  | { type: 'number'; integer: boolean; minimum?: number; maximum?: number; default?: number }
  | { type: 'boolean'; default?: boolean }
  | { type: 'choice'; options: FormOption[]; default?: string }
  | { type: 'choices'; options: FormOption[]; minItems?: number; maxItems?: number; default?: string[] }
);

/** What a field must be or have, after its label. */
const RULES = {
  required: 'is required',
  unknown: 'is not a field of this form',
  text: 'must be text',
  number: 'must be a number',
  integer: 'must be a whole number',
  boolean: 'must be true or false',
  option: 'must be one of the options',
  email: 'must be an email address',
  uri: 'must be a URL with its scheme, such as https://example.com',
  date: 'must be a date such as 2026-01-31',
  'date-time': 'must be a date and time such as 2026-01-31T12:00:00Z',
};
const LIMITS = {
  too_short: (limit: number) => ` must have at least ${limit} characters`,
  too_long: (limit: number) => ` must have at most ${limit} characters`,
  too_small: (limit: number) => ` must be at least ${limit}`,
  too_large: (limit: number) => ` must be at most ${limit}`,
  too_few: (limit: number) => `: choose at least ${limit}`,
  too_many: (limit: number) => `: choose at most ${limit}`,
};

/** A rule that a submitted form breaks, and the field; `limit` belongs to rules that have one. */
export type FormFault = { name: string; label: string } & (
  | { rule: keyof typeof RULES }
  | { rule: keyof typeof LIMITS; limit: number }
);

const MAX_FIELDS = 100;
const MAX_OPTIONS = 1_000;
const MAX_TEXT_LENGTH = 2_000;

/**
 * Reads the schema of a form: an object of strings, numbers, booleans and choices, as MCP allows it. `problem` says why
 * the schema cannot be shown as a form.
 */
export function readForm(schema: JsonObject): { fields: FormField[] } | { problem: string } {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return { problem: 'it does not have an object "properties"' };
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS) return { problem: `it has ${entries.length} fields, more than ${MAX_FIELDS}` };
  const requiredNames = new Set(Array.isArray(required) ? required : []);
  const missing = [...requiredNames].find((name) => typeof name !== 'string' || !Object.hasOwn(properties, name));
  if (missing !== undefined) return { problem: 'it requires a field that it does not define' };
  const fields: FormField[] = [];
  for (const [name, field] of entries) {
    const read = isJsonObject(field) ? readField(name, field, requiredNames.has(name)) : null;
    if (read === null) return { problem: `its field "${name.slice(0, 100)}" has a type that forms do not support` };
    fields.push(read);
  }
  return { fields };
}

function readField(name: string, field: JsonObject, required: boolean): FormField | null {
  const description = shownText(field['description']);
  const base = {
    name,
    label: shownText(field['title']) ?? name,
    required,
    ...defined({ description }),
  };
  const defaultValue = field['default'];
  const type = readType(field);
  switch (type) {
    case 'string': {
      const options = readOptions(field);
      if (options === 'unreadable') return null;
      if (options !== null) {
        const known = options.some(({ value }) => value === defaultValue);
        return {
          ...base,
          type: 'choice',
          options,
          ...(known && typeof defaultValue === 'string' ? { default: defaultValue } : {}),
        };
      }
      const format = FORMATS.find((known) => known === field['format']);
      return {
        ...base,
        type: 'text',
        ...defined({ format }),
        ...limit('minLength', field['minLength']),
        ...limit('maxLength', field['maxLength']),
        ...(typeof defaultValue === 'string' ? { default: defaultValue } : {}),
      };
    }
    case 'number':
    case 'integer':
      return {
        ...base,
        type: 'number',
        integer: type === 'integer',
        ...limit('minimum', field['minimum']),
        ...limit('maximum', field['maximum']),
        ...(typeof defaultValue === 'number' ? { default: defaultValue } : {}),
      };
    case 'boolean':
      return { ...base, type: 'boolean', ...(typeof defaultValue === 'boolean' ? { default: defaultValue } : {}) };
    case 'array': {
      const options = isJsonObject(field['items']) ? readOptions(field['items']) : null;
      if (options === null || options === 'unreadable') return null;
      const chosen = Array.isArray(defaultValue) ? defaultValue.filter((one) => typeof one === 'string') : undefined;
      return {
        ...base,
        type: 'choices',
        options,
        ...limit('minItems', field['minItems']),
        ...limit('maxItems', field['maxItems']),
        ...defined({ default: chosen }),
      };
    }
    default:
      return null;
  }
}

const FORMATS = ['email', 'uri', 'date', 'date-time'] as const;

/** `null` beside another type only marks the field as optional. */
function readType(field: JsonObject): JsonValue | undefined {
  const { type } = field;
  if (Array.isArray(type)) {
    const others = type.filter((one) => one !== 'null');
    return others.length === 1 ? others[0] : undefined;
  }
  return type ?? (readOptions(field) === null ? undefined : 'string');
}

/** Null if the field is not a choice. Titles are in `oneOf` or `anyOf`, or in the older `enumNames`. */
function readOptions(field: JsonObject): FormOption[] | 'unreadable' | null {
  const titled = field['oneOf'] ?? field['anyOf'];
  if (Array.isArray(titled)) {
    const options = titled.flatMap((one) => {
      if (!isJsonObject(one) || typeof one['const'] !== 'string') return [];
      return [{ value: one['const'], label: shownText(one['title']) ?? one['const'] }];
    });
    return options.length === titled.length && isSensible(options) ? options : 'unreadable';
  }
  const { enum: values, enumNames } = field;
  if (!Array.isArray(values)) return null;
  const names = Array.isArray(enumNames) ? enumNames : [];
  const options = values.flatMap((value, at) =>
    typeof value === 'string' ? [{ value, label: shownText(names[at]) ?? value }] : [],
  );
  return options.length === values.length && isSensible(options) ? options : 'unreadable';
}

function isSensible(options: readonly FormOption[]): boolean {
  return options.length > 0 && options.length <= MAX_OPTIONS;
}

function shownText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.slice(0, MAX_TEXT_LENGTH) : undefined;
}

function limit<Name extends string>(name: Name, value: JsonValue | undefined): { [Key in Name]?: number } {
  return (typeof value === 'number' ? { [name]: value } : {}) as { [Key in Name]?: number };
}

/** Lists everything that is wrong with the submitted content, in the order of the fields. */
export function checkForm(fields: readonly FormField[], content: JsonObject): FormFault[] {
  const faults: FormFault[] = [];
  for (const field of fields) {
    const { name, label } = field;
    const value = Object.hasOwn(content, name) ? content[name] : undefined;
    if (value === undefined) {
      if (field.required) faults.push({ name, label, rule: 'required' });
      continue;
    }
    const fault = findFault(field, value);
    if (fault !== null) faults.push({ name, label, ...fault });
  }
  for (const name of Object.keys(content)) {
    if (!fields.some((field) => field.name === name)) faults.push({ name, label: name, rule: 'unknown' });
  }
  return faults;
}

type Violation = FormFault extends infer One ? (One extends FormFault ? Omit<One, 'name' | 'label'> : never) : never;

function findFault(field: FormField, value: JsonValue): Violation | null {
  switch (field.type) {
    case 'text': {
      if (typeof value !== 'string') return { rule: 'text' };
      const length = [...value].length;
      if (field.required && length === 0 && field.minLength === undefined) return { rule: 'required' };
      if (field.minLength !== undefined && length < field.minLength)
        return { rule: 'too_short', limit: field.minLength };
      if (field.maxLength !== undefined && length > field.maxLength)
        return { rule: 'too_long', limit: field.maxLength };
      return field.format !== undefined && value !== '' && !hasFormat(field.format, value)
        ? { rule: field.format }
        : null;
    }
    case 'number':
      if (typeof value !== 'number' || !Number.isFinite(value)) return { rule: 'number' };
      if (field.integer && !Number.isInteger(value)) return { rule: 'integer' };
      if (field.minimum !== undefined && value < field.minimum) return { rule: 'too_small', limit: field.minimum };
      if (field.maximum !== undefined && value > field.maximum) return { rule: 'too_large', limit: field.maximum };
      return null;
    case 'boolean':
      return typeof value === 'boolean' ? null : { rule: 'boolean' };
    case 'choice':
      return field.options.some((option) => option.value === value) ? null : { rule: 'option' };
    case 'choices': {
      if (!Array.isArray(value)) return { rule: 'option' };
      if (!value.every((one) => field.options.some((option) => option.value === one))) return { rule: 'option' };
      if (field.minItems !== undefined && value.length < field.minItems)
        return { rule: 'too_few', limit: field.minItems };
      if (field.maxItems !== undefined && value.length > field.maxItems)
        return { rule: 'too_many', limit: field.maxItems };
      return null;
    }
  }
}

/** Uses own patterns: a regular expression of a server is never run. */
function hasFormat(format: (typeof FORMATS)[number], value: string): boolean {
  switch (format) {
    case 'email':
      return /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/.test(value);
    case 'uri':
      return /^[a-z][a-z0-9+.-]*:/i.test(value) && URL.canParse(value);
    case 'date':
      return /^\d{4}-\d{2}-\d{2}$/.test(value) && isDay(value);
    case 'date-time':
      return (
        /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i.test(value) &&
        isDay(value.slice(0, 10)) &&
        !Number.isNaN(Date.parse(value))
      );
  }
}

/** False for 2026-02-30. */
function isDay(value: string): boolean {
  const at = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(value);
}

/** A fault as a sentence, for logs, terminals and programs. The page has its own texts. */
export function formFaultText(fault: FormFault): string {
  return `"${fault.label}"${'limit' in fault ? LIMITS[fault.rule](fault.limit) : ` ${RULES[fault.rule]}`}.`;
}

const SECRET =
  /pass(word|phrase|code)|secret|api.?key|access.?key|private.?key|token|credential|\bpin\b|\bcvv?\b|密码|密碼|口令|密钥|密鑰|令牌|權杖/i;

/** A comma between the items of a list, not one before another sentence. */
const LIST_COMMA =
  ',(?!\\s*(?:or\\s+|and\\s+)?(?:your|the|my|just|please|we|i|you|what|use|enter|type|give|send|tell|provide|share)\\b)';

/** Matches a warning not to give a secret, up to the secret that it names and not past a word such as "but". */
const SECRET_WARNING = new RegExp(
  `(?:\\b(?:do\\s+not|don['’]?t|never|must\\s+not|should\\s+not)\\s+(?:ever\\s+)?` +
    `(?:give|enter|share|send|type|tell|provide|include|put|write|paste|ask)\\b` +
    `(?:(?!\\b(?:but|only|except|instead|and|until|unless|before|then)\\b)(?:[^.,;:!?\\n]|${LIST_COMMA})){0,40}?` +
    `|(?:请勿|請勿|切勿|不要|勿)(?:在此|在這裡|在这里)?(?:输入|輸入|提供|填写|填寫|透露|告诉|告訴)[^。；！？，,.]{0,8}?)` +
    `(?:${SECRET.source})`,
  'gi',
);

/** True if a form seems to ask for a password or key, which MCP servers must not request in a form. */
export function asksForSecret(message: string, fields: readonly FormField[]): boolean {
  const words = fields.map(
    ({ name, label, description = '' }) => `${name.replaceAll('_', ' ')} ${label} ${description}`,
  );
  return [message, ...words].some((text) => SECRET.test(text.replace(SECRET_WARNING, '')));
}
