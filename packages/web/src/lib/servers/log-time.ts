import { i18n } from '../i18n/i18n.svelte.ts';

/** The time of an entry with milliseconds, so that entries within one second can be distinguished. */
export function logTime(at: number): string {
  const format = new Intl.DateTimeFormat(i18n.locale, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
  });
  return format.format(at);
}
