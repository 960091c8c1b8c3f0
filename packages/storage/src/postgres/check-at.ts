import type { CheckResult } from '../check.ts';
import type { S3Settings } from '../s3/settings.ts';

/**
 * Reads a database through: gaps in the events of runs, blobs that hold something else. Changes nothing, and may be used
 * while servers are at work.
 *
 * @throws StorageError where it cannot be reached, holds nothing of ours, or was changed by a newer version.
 */
export async function checkDatabaseAt(
  url: string,
  files?: S3Settings,
): Promise<{ where: string; result: CheckResult }> {
  // Who keeps a folder need not load it.
  const { checkAt } = await import('./check.ts');
  return checkAt(url, files);
}
