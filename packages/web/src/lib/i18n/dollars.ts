import { numberFormat } from './formats.ts';

/** Formats dollars with enough digits to compare fractions of a cent. */
export function dollars(amount: number, locale: string): string {
  const digits = amount >= 1 || amount === 0 ? { maximumFractionDigits: 2 } : { maximumSignificantDigits: 2 };
  return numberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 0,
    ...digits,
  }).format(amount);
}
