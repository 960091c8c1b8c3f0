import { z } from 'zod';
import { TRANSLATION_LANGUAGES } from '../preset-tasks.ts';
import { named, namedObject } from './common.ts';

const language = z.enum(TRANSLATION_LANGUAGES);
const content = z.string().min(1).max(200_000);

export const messageTranslation = namedObject('MessageTranslation', {
  messageId: z.string(),
  /** The language of the message; null if it is unknown. */
  from: language.nullable(),
  to: language,
  content,
});
/** A translation of the text of a message, stored beside it. */
export type MessageTranslation = z.output<typeof messageTranslation>;

export const messageTranslations = namedObject('MessageTranslations', { items: z.array(messageTranslation) });

export const changeTranslationBody = named(
  'ChangeTranslation',
  z.union([z.strictObject({ from: language.nullable() }), z.strictObject({ to: language, content })]),
);
/** The result of a detection or of a translation: neither overwrites the other. */
export type ChangeTranslation = z.output<typeof changeTranslationBody>;
