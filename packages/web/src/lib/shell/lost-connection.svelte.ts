import { live } from '../live/live.svelte.ts';

/** A connection lost for less than this is not mentioned, in milliseconds. */
const SHOW_AFTER_MS = 1200;

/** Call it in a component: whether the lost connection to the server is worth mentioning. */
export function lostConnection(): { readonly isShown: boolean } {
  let isShown = $state(false);
  $effect(() => {
    isShown = false;
    if (live.status !== 'lost') return undefined;
    const timer = setTimeout(() => (isShown = true), SHOW_AFTER_MS);
    return () => clearTimeout(timer);
  });
  return {
    get isShown() {
      return isShown;
    },
  };
}
