/** The argument editor, loaded on demand. */
export { default as ArgumentsEditor } from './ArgumentsEditor.svelte';
export { default as Edited } from './EditedNotice.svelte';
