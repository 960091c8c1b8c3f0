/** The card of an exceeded budget, loaded with the first one. */
export { default as BudgetQuestion } from './BudgetQuestion.svelte';
