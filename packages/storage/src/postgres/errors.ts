import type { ErrorInfo } from '@toolyard/protocol';
import { defined, ToolyardError, VERSION } from '@toolyard/protocol';
import type { StorageProblem } from '../storage-error.ts';
import { StorageError } from '../storage-error.ts';

/** SQLSTATE classes distinguished by this package. */
const CONSTRAINT = '23';
const CONNECTION = '08';
const CORRUPT = 'XX';

const PROBLEMS: Readonly<Record<string, StorageProblem>> = {
  '28000': 'not_allowed',
  '28P01': 'not_allowed',
  '3D000': 'not_there',
  '42501': 'not_writable',
  '25006': 'not_writable',
  '53100': 'disk_full',
  '53300': 'unreachable',
  '57P01': 'unreachable',
  '57P02': 'unreachable',
  '57P03': 'unreachable',
  // Query timeout.
  '57014': 'unreachable',
  '25P03': 'unreachable',
  ECONNREFUSED: 'unreachable',
  ECONNRESET: 'unreachable',
  EPIPE: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  ETIMEDOUT: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENOENT: 'unreachable',
  EACCES: 'unreachable',
};

/** Messages of the driver, without a code, for a lost or refused connection. */
const LOST = /connection (?:terminated|ended|timeout)|timeout exceeded|read timeout|not queryable|server closed/i;

/** Deadlock and serialization failure: a retry may succeed. */
const RETRYABLE_CODES: ReadonlySet<string> = new Set(['40P01', '40001']);

/** True for a violation of a table constraint. */
export function isConstraint(error: unknown): boolean {
  return findErrorCode(error)?.startsWith(CONSTRAINT) ?? false;
}

/** True if the transaction was aborted by a conflict and should be retried. */
export function isSerializationFailure(error: unknown): boolean {
  return RETRYABLE_CODES.has(findErrorCode(error) ?? '');
}

/** True if the outcome of a statement is unknown. */
export function isLost(error: unknown): boolean {
  return StorageError.isInstance(error) ? error.problem === 'unreachable' : toProblem(error) === 'unreachable';
}

/** True if the connection was lost before the statement was sent. */
export function wasNotSent(error: unknown): boolean {
  return error instanceof Error && error.message.includes('not queryable');
}

/** True for errors of the database, the driver or the network. */
export function isDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error) || ToolyardError.isInstance(error)) return false;
  return 'severity' in error || 'syscall' in error || LOST.test(error.message) || findErrorCode(error) === 'ETIMEDOUT';
}

/** Converts an error of the database `where` (host and name, never a password) to a StorageError. */
export function toDatabaseError(thrown: unknown, where: string): StorageError {
  if (StorageError.isInstance(thrown)) return thrown;
  return createDatabaseError(
    toProblem(thrown),
    where,
    thrown instanceof Error ? thrown.message : 'unknown reason',
    thrown,
  );
}

/** The error for a problem of the database `where`. */
export function createDatabaseError(
  problem: StorageProblem,
  where: string,
  detail = '',
  cause?: unknown,
): StorageError {
  return new StorageError(problem, describe(problem, where, detail), { cause });
}

function toProblem(thrown: unknown): StorageProblem {
  const code = findErrorCode(thrown);
  if (code !== undefined) {
    if (code.startsWith(CONNECTION)) return 'unreachable';
    if (code.startsWith(CORRUPT)) return code === 'XX001' || code === 'XX002' ? 'corrupt' : 'engine';
    return PROBLEMS[code] ?? 'engine';
  }
  return thrown instanceof Error && LOST.test(thrown.message) ? 'unreachable' : 'engine';
}

function findErrorCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || ToolyardError.isInstance(thrown)) return undefined;
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code;
  // A host with several addresses gives one error per address.
  return thrown instanceof AggregateError ? findErrorCode(thrown.errors[0]) : undefined;
}

/** Message and hint of each problem; all others are failures of the database. */
const TEXTS: Partial<Record<StorageProblem, (where: string, suffix: string) => [message: string, hint: string]>> = {
  unreachable: (where, suffix) => [
    `The database ${where} cannot be reached${suffix}.`,
    'Check that PostgreSQL is running there and accepts more connections. Data stored before is safe.',
  ],
  not_allowed: (where) => [
    `The database ${where} rejected this user name and password.`,
    'Correct user name and password in the database URL, or grant the user access in PostgreSQL.',
  ],
  not_there: (where) => [
    `The database ${where} does not exist.`,
    'Create it with "createdb", or correct its name in the URL.',
  ],
  bad_url: (_where, suffix) => [
    `The database URL is invalid${suffix}.`,
    'It must look like postgres://user:password@host:5432/database.',
  ],
  not_writable: (where, suffix) => [
    `The database ${where} denies this user a required permission${suffix}.`,
    'Make the user the owner of the database, and use the primary server, not a read-only replica.',
  ],
  newer_version: (where, suffix) => [
    `The database ${where} was migrated by a newer Toolyard and is incompatible with this version (${VERSION})${suffix}.`,
    'Start the newer version. Nothing was changed.',
  ],
  prerelease: (where) => [
    `The database ${where} was written by a version of Toolyard before its first release, which this version cannot read.`,
    'Create another database for this version. Nothing was changed.',
  ],
  not_ours: (where) => [
    `The database ${where} contains tables of another program.`,
    'Create a separate database for Toolyard. Nothing was changed.',
  ],
  disk_full: (where) => [
    `There is no space left for the database ${where}.`,
    'Free disk space on its server. Data stored before is safe.',
  ],
  corrupt: (where, suffix) => [
    `The database ${where} is damaged${suffix}.`,
    'Check the PostgreSQL log, and restore a backup if necessary.',
  ],
};

function describe(problem: StorageProblem, where: string, detail: string): Omit<ErrorInfo, 'code'> {
  const suffix = detail === '' ? '' : `: ${detail.replace(/\.$/, '')}`;
  const [message, hint] = TEXTS[problem]?.(where, suffix) ?? [`The database ${where} failed${suffix}.`];
  const retryable = problem === 'unreachable' || problem === 'disk_full' ? true : undefined;
  return { message, ...defined({ hint, retryable }) };
}
