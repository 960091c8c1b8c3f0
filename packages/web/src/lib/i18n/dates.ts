import { dateFormat } from './formats.ts';
import { i18n } from './i18n.svelte.ts';

/** Formats a time in milliseconds as date and time in the language of the page. */
export function dateAndTime(at: number): string {
  return dateFormat(i18n.locale, { dateStyle: 'medium', timeStyle: 'short' }).format(at);
}

/** The time alone if it was today, otherwise with its date. */
export function timeOrDate(at: number): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return isToday ? dateFormat(i18n.locale, { timeStyle: 'short' }).format(at) : dateAndTime(at);
}

/** A day such as `2026-11-28` as a date; it is a day in UTC. */
export function dayName(day: string): string {
  return dateFormat(i18n.locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(`${day}T00:00:00Z`));
}
