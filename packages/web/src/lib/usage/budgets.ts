/** Budget settings and usage, loaded with the settings of a chat. */
export { default as BudgetFields } from './BudgetFields.svelte';
export { default as BudgetMeters } from './BudgetMeters.svelte';
