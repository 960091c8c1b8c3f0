/** What changes the arguments of a call, loaded when somebody wants to. */
export { default as ArgumentsEditor } from './ArgumentsEditor.svelte';
export { default as Edited } from './EditedNotice.svelte';
