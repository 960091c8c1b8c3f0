import type { Messages } from './en/index.ts';
import type * as lazy from './en/lazy.ts';
import type { MessageText, Translation, ValueNames } from './message.ts';

/** The texts of one language that the page starts with. English defines the keys. */
export type PageTexts = { readonly [N in keyof Messages]: Translation<Messages[N]> };

type LazyMessages = typeof lazy;
/** A namespace that is loaded when a part of the page first needs it. */
export type LazyNamespace = keyof LazyMessages | 'serverTexts';
export type LazyTexts<N extends LazyNamespace> = N extends keyof LazyMessages
  ? Translation<LazyMessages[N]>
  : ServerTexts;

/** Translations of the texts of the server, by their English templates. */
export type ServerTexts = Readonly<Record<string, string>>;

type Flat<T> = {
  [N in keyof T & string]: { [K in keyof T[N] & string as `${N}.${K}`]: T[N][K] };
}[keyof T & string];
type Intersection<U> = (U extends unknown ? (part: U) => void : never) extends (all: infer I) => void ? I : never;
type Texts = Intersection<Flat<Messages & LazyMessages>>;

/** `namespace.key` of every text. */
export type MessageKey = keyof Texts;

/** The values of a text: one for each of its placeholders. */
export type MessageValues<K extends MessageKey> = [ValueNames<Texts[K]>] extends [never]
  ? []
  : [values: Readonly<Record<ValueNames<Texts[K]>, string | number>>];

/** Texts by namespace and key. */
export type Namespaces = Readonly<Record<string, Readonly<Record<string, MessageText>>>>;

/** The text of a key `namespace.key`; undefined if its namespace is not loaded. */
export function lookUp(texts: Namespaces, key: string): MessageText | undefined {
  const dot = key.indexOf('.');
  return texts[key.slice(0, dot)]?.[key.slice(dot + 1)];
}
