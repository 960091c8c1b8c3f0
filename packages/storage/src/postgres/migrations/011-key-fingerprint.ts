/** By which a process finds out whether it holds the key that what is sealed here was sealed with. */
export const keyFingerprint: readonly string[] = [`ALTER TABLE installation ADD COLUMN key_fingerprint TEXT`];
