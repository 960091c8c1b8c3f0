/** The configuration with which a queued message was sent, for the run that will answer it. */
export const queuedConfiguration: readonly string[] = [`ALTER TABLE queued_messages ADD COLUMN configuration TEXT`];
