import { getContext, setContext } from 'svelte';
import type { ServerRef } from './server-requests.ts';

const KEY = Symbol('source of resources');
type Source = () => ServerRef | null;

/** The server that sent the contents of a component: resources in them can be opened. */
export function provideResourceSource(source: Source): void {
  setContext(KEY, source);
}

/** Null outside of such contents, and for a call of an unknown tool. */
export function useResourceSource(): Source {
  return getContext<Source | undefined>(KEY) ?? (() => null);
}
