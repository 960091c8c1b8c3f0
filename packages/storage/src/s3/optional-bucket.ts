import type { Bucket } from './bucket.ts';
import type { S3Settings } from './settings.ts';

/** Null where files lie in the database: who keeps them there does not load what signs requests. */
export async function openOptionalBucket(files: S3Settings | undefined): Promise<Bucket | null> {
  if (!files) return null;
  const { openBucket } = await import('./bucket.ts');
  return openBucket(files);
}
