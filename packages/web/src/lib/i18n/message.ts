import { showHidden } from '@toolyard/protocol';
import { numberFormat } from './formats.ts';

/** A text with placeholders `{name}`, or one per plural form of `count`. */
type PluralText = { readonly one?: string; readonly other: string };
export type MessageText = string | PluralText;
export type Values = Readonly<Record<string, string | number>>;

/** A translation of the English messages: the same keys of the same kinds. */
export type Translation<T extends Readonly<Record<string, MessageText>>> = {
  readonly [K in keyof T]: T[K] extends string ? string : PluralText;
};

type NamesIn<S extends string> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The names of the placeholders of an English text. */
export type ValueNames<M> = M extends string
  ? NamesIn<M>
  : M extends { readonly other: infer O extends string }
    ? NamesIn<O> | 'count'
    : never;

/**
 * Fills in the placeholders; numbers are formatted for the language. Values may be names of tools, servers and files,
 * so invisible and bidirectional characters in them are shown as code points.
 */
export function formatMessage(text: MessageText, values: Values, locale: string): string {
  return pick(text, values).replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? numberText(value, locale) : showHidden(value);
  });
}

/** Small counts are the same in every language; the first number format of a page takes several milliseconds. */
function numberText(value: number, locale: string): string {
  const isSmall = Number.isInteger(value) && value >= 0 && value < 1000;
  return isSmall ? String(value) : numberFormat(locale).format(value);
}

/** Of the languages of the page only English has a singular, for exactly 1; `Intl.PluralRules` is slow to create. */
function pick(text: MessageText, values: Values): string {
  if (typeof text === 'string') return text;
  return Number(values['count'] ?? 0) === 1 ? (text.one ?? text.other) : text.other;
}
