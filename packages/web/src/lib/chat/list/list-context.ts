import { createContext } from 'svelte';
import type { AnchoredList } from './anchored-list.svelte.ts';

/** The list that contains a message. */
export const [listOf, provideList] = createContext<AnchoredList>();
