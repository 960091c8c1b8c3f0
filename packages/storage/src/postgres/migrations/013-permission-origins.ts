/** Whether a decision is about a tool of a server or of a browser tab; null until the next start sets it. */
export const permissionOrigins: readonly string[] = [`ALTER TABLE permissions ADD COLUMN origin TEXT COLLATE "C"`];
