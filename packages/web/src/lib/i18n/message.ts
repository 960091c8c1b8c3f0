import { showHidden } from '@toolyard/protocol';
import { numberFormat, pluralRules } from './formats.ts';

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
  return pick(text, values, locale).replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? numberFormat(locale).format(value) : showHidden(value);
  });
}

function pick(text: MessageText, values: Values, locale: string): string {
  if (typeof text === 'string') return text;
  const count = Number(values['count'] ?? 0);
  return pluralRules(locale).select(count) === 'one' ? (text.one ?? text.other) : text.other;
}
