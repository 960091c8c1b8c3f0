import { numberFormat } from '../../i18n/formats.ts';

/** A duration, short: "240 ms", "3.4 s", "2 m 5 s" in the format of the language. */
export function durationText(ms: number, locale: string): string {
  const unit = (value: number, name: string, digits = 0): string =>
    numberFormat(locale, {
      style: 'unit',
      unit: name,
      unitDisplay: 'narrow',
      maximumFractionDigits: digits,
    }).format(value);
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return unit(whole, 'millisecond');
  if (ms < 59_950) return unit(ms / 1000, 'second', 1);
  const seconds = Math.round(ms / 1000);
  return `${unit(Math.floor(seconds / 60), 'minute')} ${unit(seconds % 60, 'second')}`;
}
