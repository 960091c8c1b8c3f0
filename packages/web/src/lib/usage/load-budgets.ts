import { i18n } from '../i18n/i18n.svelte.ts';

/** Components that show budgets, with their translations. */
export async function loadBudgets() {
  return (await Promise.all([import('./budgets.ts'), i18n.need('usage')]))[0];
}
