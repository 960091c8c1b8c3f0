import { RecentMap } from '../../recent-map.ts';

/** Drafts about calls in doubt outlive their card, which is destroyed when it is scrolled out of the page. */
export const resultDrafts = new RecentMap<string, string>(50);
