import type { Spent } from '@toolyard/protocol';
import { dollars } from '../../i18n/dollars.ts';
import { i18n, t } from '../../i18n/i18n.svelte.ts';

/** Tokens and cost, as far as there were any; a cost that is known only in part is a minimum. */
export function spentText({ tokens, dollars: amount, unpriced }: Spent): string[] {
  const cost = dollars(amount, i18n.locale);
  return [
    ...(tokens > 0 ? [t('runList.tokens', { count: tokens })] : []),
    ...(amount > 0 ? [unpriced > 0 ? t('runList.atLeast', { cost }) : cost] : []),
  ];
}
