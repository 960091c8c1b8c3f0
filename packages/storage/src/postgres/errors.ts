import type { ErrorInfo } from '@toolyard/protocol';
import { ToolyardError, VERSION } from '@toolyard/protocol';
import type { StorageProblem } from '../storage-error.ts';
import { StorageError } from '../storage-error.ts';

/** Classes of SQLSTATE this room tells apart. */
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
  // Its answer took too long.
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

/** What the driver says itself, without a code, when a connection is gone or cannot be had. */
const LOST = /connection (?:terminated|ended|timeout)|timeout exceeded|read timeout|not queryable|server closed/i;

/** Two that wait for each other, one of which was sent back: the same again may well succeed. */
const SENT_BACK: ReadonlySet<string> = new Set(['40P01', '40001']);

/** True where a row is against the constraints of its table. */
export function isConstraint(error: unknown): boolean {
  return codeOf(error)?.startsWith(CONSTRAINT) ?? false;
}

/** True where the transaction was sent back and should be tried again. */
export function isSerializationFailure(error: unknown): boolean {
  return SENT_BACK.has(codeOf(error) ?? '');
}

/** True where nobody is there to say what came of a statement. */
export function isLost(error: unknown): boolean {
  return StorageError.isInstance(error) ? error.problem === 'unreachable' : problemOf(error) === 'unreachable';
}

/** True where the connection was gone before the statement: the driver kept it to itself. */
export function wasNotSent(error: unknown): boolean {
  return error instanceof Error && error.message.includes('not queryable');
}

/** True for what the database, the driver or the network threw. */
export function isDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error) || ToolyardError.isInstance(error)) return false;
  return 'severity' in error || 'syscall' in error || LOST.test(error.message) || codeOf(error) === 'ETIMEDOUT';
}

/** Says plainly what went wrong with the database `where`: a host and a name, never a password. */
export function toDatabaseError(thrown: unknown, where: string): StorageError {
  if (StorageError.isInstance(thrown)) return thrown;
  return databaseError(problemOf(thrown), where, thrown instanceof Error ? thrown.message : 'unknown reason', thrown);
}

/** The error for a problem of the database `where`. */
export function databaseError(problem: StorageProblem, where: string, detail = '', cause?: unknown): StorageError {
  return new StorageError(problem, describe(problem, where, detail), { cause });
}

function problemOf(thrown: unknown): StorageProblem {
  const code = codeOf(thrown);
  if (code !== undefined) {
    if (code.startsWith(CONNECTION)) return 'unreachable';
    if (code.startsWith(CORRUPT)) return code === 'XX001' || code === 'XX002' ? 'corrupt' : 'engine';
    return PROBLEMS[code] ?? 'engine';
  }
  return thrown instanceof Error && LOST.test(thrown.message) ? 'unreachable' : 'engine';
}

function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || ToolyardError.isInstance(thrown)) return undefined;
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code;
  // Where a name has several addresses, each of them failed.
  return thrown instanceof AggregateError ? codeOf(thrown.errors[0]) : undefined;
}

function describe(problem: StorageProblem, where: string, detail: string): Omit<ErrorInfo, 'code'> {
  const said = detail === '' ? '' : `: ${detail.replace(/\.$/, '')}`;
  switch (problem) {
    case 'unreachable':
      return {
        message: `The database ${where} cannot be reached${said}.`,
        hint: 'See whether PostgreSQL runs there and takes more connections. What was stored before is safe.',
        retryable: true,
      };
    case 'not_allowed':
      return {
        message: `The database ${where} lets nobody in with this user and password.`,
        hint: 'Correct user and password in the address of the database, or allow the user in PostgreSQL.',
      };
    case 'not_there':
      return {
        message: `There is no database ${where}.`,
        hint: 'Make it with "createdb", or correct its name in the address.',
      };
    case 'bad_url':
      return {
        message: `The address of the database is not usable${said}.`,
        hint: 'It looks like postgres://user:password@host:5432/database.',
      };
    case 'not_writable':
      return {
        message: `The database ${where} does not let this user do what is needed${said}.`,
        hint: 'Make the user the owner of the database, and name the server that takes changes, not a copy of it.',
      };
    case 'newer_version':
      return {
        message: `The database ${where} was changed by a newer Toolyard in a way this one (${VERSION}) does not know${said}.`,
        hint: 'Start that version. Nothing was changed.',
      };
    case 'not_ours':
      return {
        message: `The database ${where} has tables of another program.`,
        hint: 'Make a database for Toolyard alone. Nothing was changed.',
      };
    case 'disk_full':
      return {
        message: `There is no room left for the database ${where}.`,
        hint: 'Make room on its server. What was stored before is safe.',
        retryable: true,
      };
    case 'corrupt':
      return {
        message: `The database ${where} is damaged${said}.`,
        hint: 'Look at the log of PostgreSQL, and restore a backup where need be.',
      };
    case 'in_use':
    case 'write_failed':
    case 'engine':
      return { message: `The database ${where} failed${said}.` };
  }
}
