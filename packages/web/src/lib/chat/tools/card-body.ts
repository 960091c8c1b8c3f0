/** All of a card but its head, loaded when the first card is there. */
export { default as ApprovalQuestion } from './ApprovalQuestion.svelte';
export { default as CallDetails } from './CallDetails.svelte';
export { default as InDoubtQuestion } from './InDoubtQuestion.svelte';
export { default as ServerQuestion } from './questions/ServerQuestion.svelte';
