import type { Bucket } from './bucket.ts';
import type { S3Settings } from './settings.ts';

/** Null if blobs are stored in the database; the S3 client is loaded only if needed. */
export async function openOptionalBucket(files: S3Settings | undefined): Promise<Bucket | null> {
  if (!files) return null;
  const { openBucket } = await import('./bucket.ts');
  return openBucket(files);
}
