/** The database of a data folder. */
export const DATABASE_FILE = 'toolyard.db';
/** The database with the files that SQLite keeps beside it. */
export const DATABASE_FILES = [DATABASE_FILE, `${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`] as const;
/** The database of a folder that is still being copied to. */
export const UNFINISHED_FILE = 'toolyard.db.copying';
/** Where its blobs lie, each in a file named after its sha256. */
export const BLOBS_FOLDER = 'blobs';
/** What seals the secrets in the database: a key, or the salt that a passphrase is made into one with. */
export const KEY_FILE = 'secret.key';
export const SALT_FILE = 'secret.salt';
/** By which it is found out whether a passphrase is the one; belongs to the salt. */
export const FINGERPRINT_FILE = 'secret.check';
/** What the owner writes by hand. */
export const USER_FILES = ['config.json', 'mcp.json'] as const;
