/** All of a card but its head, loaded when the first card is there. */
export { default as CallDetails } from './CallDetails.svelte';
export { default as Question } from './Question.svelte';
