/** Maximum length of a memory, in characters. */
export const MAX_MEMORY_LENGTH = 1_000;
/** Maximum number of memories of a user. */
export const MAX_MEMORIES = 500;
