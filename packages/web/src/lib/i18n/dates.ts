import { i18n } from './i18n.svelte.ts';

/** Formats a time in milliseconds as date and time in the language of the page. */
export function dateAndTime(at: number): string {
  return new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'medium', timeStyle: 'short' }).format(at);
}
