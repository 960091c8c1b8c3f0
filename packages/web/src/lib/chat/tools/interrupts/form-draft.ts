import type { FormFault, FormField, JsonObject, JsonValue } from '@toolyard/protocol';
import { t } from '../../../i18n/i18n.svelte.ts';
import { RecentMap } from '../../../recent-map.ts';

/** The texts of a form, by field name. */
export type FormDraft = Record<string, string | string[]>;

/** Draft values outlive their card, which is destroyed when it is scrolled out of the page. */
const drafts = new RecentMap<string, FormDraft>(50);

/** The draft of an interrupt, initialized with the defaults of the form. */
export function getFormDraft(interruptId: string, fields: readonly FormField[]): FormDraft {
  const known = drafts.get(interruptId);
  if (known !== undefined) return { ...known };
  return Object.fromEntries(fields.map((field) => [field.name, asTyped(field)]));
}

export function keepFormDraft(interruptId: string, draft: FormDraft): void {
  drafts.set(interruptId, { ...draft });
}

function asTyped(field: FormField): string | string[] {
  switch (field.type) {
    case 'choices':
      return field.default ?? [];
    case 'boolean':
      return field.default === undefined ? '' : field.default ? 'yes' : 'no';
    case 'number':
      return field.default === undefined ? '' : String(field.default);
    case 'text':
      return field.format === 'date-time' ? toLocalTime(field.default ?? '') : (field.default ?? '');
    case 'choice':
      return field.default ?? '';
  }
}

/** Converts the texts to the types of the schema and omits empty fields. Invalid values are left to validation. */
export function toContent(fields: readonly FormField[], draft: FormDraft): JsonObject {
  const content: JsonObject = {};
  for (const field of fields) {
    const value = readValue(field, draft[field.name] ?? '');
    if (value !== undefined) content[field.name] = value;
  }
  return content;
}

function readValue(field: FormField, typed: string | string[]): JsonValue | undefined {
  if (Array.isArray(typed)) return typed.length === 0 && !field.required ? undefined : typed;
  if (typed === '') return undefined;
  switch (field.type) {
    case 'number': {
      const text = typed.trim();
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : typed;
    }
    case 'boolean':
      return typed === 'yes';
    case 'text':
      return field.format === 'date-time' ? fromLocalTime(typed) : typed;
    default:
      return typed;
  }
}

/** The value of a `datetime-local` field has no zone: it is in the user's. */
function fromLocalTime(typed: string): string {
  const at = new Date(typed);
  if (Number.isNaN(at.getTime())) return typed;
  const pad = (n: number): string => String(Math.trunc(Math.abs(n))).padStart(2, '0');
  const minutes = -at.getTimezoneOffset();
  const zone = `${minutes < 0 ? '-' : '+'}${pad(minutes / 60)}:${pad(minutes % 60)}`;
  return `${typed.length === 16 ? `${typed}:00` : typed}${zone}`;
}

function toLocalTime(text: string): string {
  const at = new Date(text);
  if (text === '' || Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** A validation error as translated text. */
export function faultWords(fault: FormFault): string {
  return t(`interrupts.${fault.rule}`, { limit: 'limit' in fault ? fault.limit : 0 });
}
