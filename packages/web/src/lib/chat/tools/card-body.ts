/** The card without its head, loaded with the first card. */
export { default as CallDetails } from './CallDetails.svelte';
export { default as InterruptCard } from './InterruptCard.svelte';
