/** The card of an exceeded budget, loaded with the first one. */
export { default as BudgetCard } from './BudgetCard.svelte';
