/** Dollars, exact enough to compare what costs a fraction of a cent. */
export function dollars(amount: number, locale: string): string {
  const digits = amount >= 1 || amount === 0 ? { maximumFractionDigits: 2 } : { maximumSignificantDigits: 2 };
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 0,
    ...digits,
  }).format(amount);
}
