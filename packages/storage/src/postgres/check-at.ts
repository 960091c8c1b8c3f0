import type { CheckResult } from '../check.ts';
import type { S3Settings } from '../s3/settings.ts';

/**
 * Verifies a database: gaps in the events of runs, and blobs that do not match their hash. Changes nothing, and may run
 * while servers use the database.
 *
 * @throws StorageError if it cannot be reached, contains no Toolyard data, or was changed by a newer version.
 */
export async function checkDatabaseAt(
  url: string,
  files?: S3Settings,
): Promise<{ where: string; result: CheckResult }> {
  // Loaded only for PostgreSQL.
  const { checkAt } = await import('./check.ts');
  return checkAt(url, files);
}
