/** The search engines of `web_search`. */
export const SEARCH_ENGINES = ['searxng', 'brave', 'tavily', 'exa', 'custom'] as const;

/** A search engine of `web_search`. */
export type SearchEngine = (typeof SEARCH_ENGINES)[number];
