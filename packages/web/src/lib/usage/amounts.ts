import type { Budget, BudgetMeasure } from '@toolyard/protocol';
import { dollars } from '../i18n/dollars.ts';
import { i18n, t } from '../i18n/i18n.svelte.ts';

/** An amount with its unit, in the language of the page. */
export function shownAmount(measure: BudgetMeasure, amount: number): string {
  if (measure === 'dollars') return dollars(amount, i18n.locale);
  return t(`usage.${measure}`, { count: amount });
}

/** The measure of a budget as a heading. */
export function budgetName(budget: Budget): string {
  if (budget.of === 'model') return t('usage.budget_model', { name: budget.model });
  if (budget.of === 'tool') return t('usage.budget_tool', { name: budget.tool });
  return t(`usage.budget_${budget.of}`);
}
