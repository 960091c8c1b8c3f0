/** Loaded with the first answer that needs it: see ../rich.svelte.ts. */
import './rich.css';

export { default as AlertTitle } from './AlertTitle.svelte';
export { default as CodeBlock } from './CodeBlock.svelte';
export { default as Footnotes } from './Footnotes.svelte';
export { default as Formula } from './Formula.svelte';
export { fillIn } from './placeholders.ts';
export { default as Table } from './Table.svelte';
