/** What asks about a budget, loaded when the first of them does. */
export { default as BudgetQuestion } from './BudgetQuestion.svelte';
