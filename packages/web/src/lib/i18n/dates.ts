import { i18n } from './i18n.svelte.ts';

/** Day and time as the language of the page writes them. */
export function dateAndTime(at: number): string {
  return new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'medium', timeStyle: 'short' }).format(at);
}
