import { createContext } from 'svelte';
import type { AnchoredList } from './anchored-list.svelte.ts';

/** The list a message is shown in. */
export const [listOf, provideList] = createContext<AnchoredList>();
