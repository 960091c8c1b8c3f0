/** What servers ask, loaded when the first of them does. */
export { default as FormQuestion } from './FormQuestion.svelte';
export { default as SamplingQuestion } from './SamplingQuestion.svelte';
export { default as SignInQuestion } from './SignInQuestion.svelte';
export { default as TabQuestion } from './TabQuestion.svelte';
export { default as UrlQuestion } from './UrlQuestion.svelte';
