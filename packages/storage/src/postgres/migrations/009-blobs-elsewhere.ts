/** The name of the object that holds the bytes, where they do not lie in the row. */
export const blobsElsewhere: readonly string[] = [`ALTER TABLE blob_bytes ADD COLUMN object_name TEXT`];
