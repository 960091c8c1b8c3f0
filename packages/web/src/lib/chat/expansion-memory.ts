import { RecentMap } from '../recent-map.ts';

/**
 * Which parts the user expanded or collapsed, remembered while the page is open: a row that is scrolled away loses its
 * own state.
 */
export const expansions = new RecentMap<string, boolean>(500);
