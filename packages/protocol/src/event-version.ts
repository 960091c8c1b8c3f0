/** The version of the envelope and of the union. */
export const RUN_EVENT_VERSION = 1;
