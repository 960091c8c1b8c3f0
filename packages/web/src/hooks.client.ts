import { startUp } from '#lib/state/startup.ts';

/** Called by SvelteKit before it loads a route; the route waits for the responses, not this. */
export const init = (): void => void startUp();
