/** At most this many tasks are delegated with one call. */
export const MAX_SUB_AGENT_TASKS = 50;
