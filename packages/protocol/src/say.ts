import type { TextTemplate, TextTemplates } from './schemas/common.ts';

const marker = Symbol.for('toolyard.text');

/** An English text for users that keeps its template and values, so that a page in another language can translate it. */
export class TranslatableText {
  /** The finished English text. */
  readonly text: string;
  readonly template: TextTemplate;

  constructor(text: string, template: TextTemplate) {
    this.text = text;
    this.template = template;
    Object.defineProperty(this, marker, { value: true });
  }

  /** Works across bundles and copies of this package, where `instanceof` does not. */
  static isInstance(value: unknown): value is TranslatableText {
    return typeof value === 'object' && value !== null && marker in value;
  }

  toString(): string {
    return this.text;
  }
}

/** A text of Toolyard, or one of another program, which has no translation. */
export type AnyText = string | TranslatableText;

/**
 * Creates a text for users. Its template is the key of its translations; values that are texts are translated too.
 *
 * @example
 * throw new ToolyardError({ code: 'network', message: say`Cannot connect to ${host}.`, hint: say`Try again.` });
 */
export function say(strings: TemplateStringsArray, ...values: readonly (AnyText | number)[]): TranslatableText {
  const text = String.raw({ raw: strings }, ...values);
  const template = String.raw({ raw: strings }, ...values.map((_value, at) => `{${at}}`));
  if (values.length === 0) return new TranslatableText(text, { template });
  const kept = values.map((value) => (TranslatableText.isInstance(value) ? value.template : String(value)));
  return new TranslatableText(text, { template, values: kept });
}

/** The text of a stored field, with its template if it has one. */
export function withTemplate(text: AnyText, template: TextTemplate | undefined): AnyText {
  return typeof text === 'string' && template !== undefined ? new TranslatableText(text, template) : text;
}

/** The English text of a template. */
export function fillTemplate({ template, values = [] }: TextTemplate): string {
  return template.replaceAll(/\{(\d+)\}/g, (whole, at: string) => {
    const value = values[Number(at)];
    if (value === undefined) return whole;
    return typeof value === 'string' ? value : fillTemplate(value);
  });
}

/** Reads templates from JSON; those without the right form are left out. */
export function readTemplates(value: unknown): TextTemplates | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const valid = Object.entries(value).filter((entry): entry is [string, TextTemplate] => isTemplate(entry[1]));
  return valid.length === 0 ? undefined : Object.fromEntries(valid);
}

function isTemplate(value: unknown): value is TextTemplate {
  if (typeof value !== 'object' || value === null || !('template' in value)) return false;
  const values = 'values' in value ? value.values : [];
  const isValue = (each: unknown): boolean => typeof each === 'string' || isTemplate(each);
  return typeof value.template === 'string' && Array.isArray(values) && values.every(isValue);
}

/** An object as it is stored and sent: its texts are English strings, and `templates` has their templates. */
type WithTemplates<T> = {
  [K in keyof T]: TranslatableText extends T[K] ? Exclude<T[K], TranslatableText> | string : T[K];
} & { templates?: TextTemplates };

/**
 * Separates the texts of an object into English strings and their templates. A template that `owner` brought along is
 * kept if its text is still the same.
 *
 * @example
 * withTemplates({ reason: say`No model is configured.` })
 * // { reason: 'No model is configured.', templates: { reason: { template: 'No model is configured.' } } }
 */
export function withTemplates<const T extends object>(owner: T & { templates?: TextTemplates }): WithTemplates<T> {
  const { templates: before = {}, ...fields } = owner;
  const templates: Record<string, TextTemplate> = {};
  const copy: Record<string, unknown> = { ...fields };
  for (const [name, value] of Object.entries(fields)) {
    const template = before[name];
    if (TranslatableText.isInstance(value)) {
      copy[name] = value.text;
      templates[name] = value.template;
    } else if (template !== undefined && fillTemplate(template) === value) {
      templates[name] = template;
    }
  }
  return { ...copy, ...(Object.keys(templates).length === 0 ? {} : { templates }) } as WithTemplates<T>;
}
