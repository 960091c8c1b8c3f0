/** The database of a data folder. */
export const DATABASE_FILE = 'toolyard.db';
/** Where its blobs lie, each in a file named after its sha256. */
export const BLOBS_FOLDER = 'blobs';
