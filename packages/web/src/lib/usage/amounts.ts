import type { Budget, BudgetMeasure } from '@toolyard/protocol';
import { dollars } from '../i18n/dollars.ts';
import { i18n, t } from '../i18n/i18n.svelte.ts';

/** An amount with its unit, in the language of the page. */
export function shownAmount(measure: BudgetMeasure, amount: number): string {
  if (measure === 'dollars') return dollars(amount, i18n.locale);
  return t(`usage.${measure}`, { count: amount });
}

/** The unit as the label of a field; `unitOf` is for use within a text. */
export function unitLabel(measure: BudgetMeasure): string {
  if (measure === 'dollars') return t('usage.unitDollars');
  return measure === 'tokens' ? t('usage.labelTokens') : t('usage.labelCalls');
}

export function unitOf(measure: BudgetMeasure): string {
  if (measure === 'dollars') return t('usage.unitDollars');
  return measure === 'tokens' ? t('usage.unitTokens') : t('usage.unitCalls');
}

/** The measure of a budget as a heading. */
export function budgetName(budget: Budget): string {
  if (budget.of === 'model') return t('usage.budget_model', { name: budget.model });
  if (budget.of === 'tool') return t('usage.budget_tool', { name: budget.tool });
  return t(`usage.budget_${budget.of}`);
}
