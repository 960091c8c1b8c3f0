import { i18n } from './i18n.svelte.ts';

/** An error of the server or of the page; `status` 0 marks one of the page, whose text is translated. */
type ShownError = { code?: unknown; status?: unknown };

/** Loads the titles of errors; without them the text of the server is shown alone. */
export async function loadProblemTitles(): Promise<void> {
  if (i18n.locale !== 'en') await i18n.need('problems').catch(() => undefined);
}

/**
 * What an error means, by its code, in the language of the page; the English text of the server is its detail. Undefined
 * if the page is in English, which needs no title, or the code is unknown.
 */
export function problemTitle({ code, status }: ShownError): string | undefined {
  if (i18n.locale === 'en' || typeof code !== 'string' || status === 0) return undefined;
  const text = i18n.text(`problems.${code}`);
  return typeof text === 'string' ? text : undefined;
}
