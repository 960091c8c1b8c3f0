/** A queued message keeps what it was sent with, for the run that will send it. */
export const queuedConfiguration: readonly string[] = [`ALTER TABLE queued_messages ADD COLUMN configuration TEXT`];
