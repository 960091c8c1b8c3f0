/** Cards for interrupts of servers and models, loaded with the first one. */
export { default as FormCard } from './FormCard.svelte';
export { default as PromptCard } from './PromptCard.svelte';
export { default as SelectionCard } from './SelectionCard.svelte';
export { default as SamplingCard } from './SamplingCard.svelte';
export { default as SignInCard } from './SignInCard.svelte';
export { default as TabCard } from './TabCard.svelte';
export { default as UrlCard } from './UrlCard.svelte';
