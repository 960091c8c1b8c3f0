import { startUp } from '#lib/shell/startup.ts';

/** Called by SvelteKit before it loads a route; the route waits for the responses, not this. */
export const init = (): void => void startUp();
