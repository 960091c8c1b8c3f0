/** Cards for questions of servers and models, loaded with the first one. */
export { default as FormQuestion } from './FormQuestion.svelte';
export { default as PromptQuestion } from './PromptQuestion.svelte';
export { default as SelectionQuestion } from './SelectionQuestion.svelte';
export { default as SamplingQuestion } from './SamplingQuestion.svelte';
export { default as SignInQuestion } from './SignInQuestion.svelte';
export { default as TabQuestion } from './TabQuestion.svelte';
export { default as UrlQuestion } from './UrlQuestion.svelte';
