/** Budgets as they are set and how far they are used, loaded with the settings of a chat. */
export { default as BudgetFields } from './BudgetFields.svelte';
export { default as BudgetMeters } from './BudgetMeters.svelte';
