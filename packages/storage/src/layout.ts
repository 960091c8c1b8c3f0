/** File name of the database of a data folder. */
export const DATABASE_FILE = 'toolyard.db';
/** The database with the other files of SQLite. */
export const DATABASE_FILES = [DATABASE_FILE, `${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`] as const;
/** The database of a folder with an unfinished copy. */
export const UNFINISHED_FILE = 'toolyard.db.copying';
/** Folder of the blobs, each in a file named by its sha256. */
export const BLOBS_FOLDER = 'blobs';
/** What the secrets in the database are sealed with: a key, or the salt of a key derived from a passphrase. */
export const KEY_FILE = 'secret.key';
export const SALT_FILE = 'secret.salt';
/** Verifies a passphrase; belongs to the salt. */
export const FINGERPRINT_FILE = 'secret.check';
/** Files written by the user. */
export const USER_FILES = ['config.json', 'mcp.json'] as const;
