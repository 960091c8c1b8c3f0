/** Version of the event envelope and of the union of events. */
export const RUN_EVENT_VERSION = 1;
