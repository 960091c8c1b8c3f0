/** The name of the object with the bytes, unless they are in the row. */
export const blobsElsewhere: readonly string[] = [`ALTER TABLE blob_bytes ADD COLUMN object_name TEXT`];
