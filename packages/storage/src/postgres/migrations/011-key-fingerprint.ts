/** Lets a process verify that its key is the one the stored secrets were sealed with. */
export const keyFingerprint: readonly string[] = [`ALTER TABLE installation ADD COLUMN key_fingerprint TEXT`];
