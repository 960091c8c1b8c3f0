/** The highest `maxConcurrentCalls` of a server. */
export const MAX_CONCURRENT_CALLS = 1_000;
