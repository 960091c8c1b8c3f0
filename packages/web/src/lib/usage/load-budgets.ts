import { i18n } from '../i18n/i18n.svelte.ts';

/** Components that show budgets, with their translations. */
export async function loadBudgets() {
  const [fields, meters] = await Promise.all([
    import('./BudgetFields.svelte'),
    import('./BudgetMeters.svelte'),
    i18n.need('usage'),
  ]);
  return { BudgetFields: fields.default, BudgetMeters: meters.default };
}
