import type { ErrorCode, ErrorInfo } from '@toolyard/protocol';
import { defined, ToolyardError, VERSION } from '@toolyard/protocol';

/**
 * Problems of the data folder or the database in it.
 * - `in_use`: another Toolyard has the folder open
 * - `not_writable`: the folder or a file in it is not writable
 * - `disk_full`: no space, or the quota is used up; stored data stays readable
 * - `write_failed`: the same, or a disk failure, which SQLite does not distinguish
 * - `corrupt`: the file is damaged
 * - `newer_version`: written by a newer Toolyard; unchanged
 * - `prerelease`: written by a version before the first release; unchanged
 * - `not_ours`: a database of another program; unchanged
 * - `unreachable`: the database server does not respond, or a connection was lost
 * - `not_allowed`: the database server rejects user and password
 * - `not_there`: the database does not exist on the server
 * - `bad_url`: the database URL is invalid
 * - `engine`: any other error of the database
 */
export type StorageProblem = FolderProblem | 'unreachable' | 'not_allowed' | 'not_there' | 'bad_url';

type FolderProblem =
  | 'in_use'
  | 'not_writable'
  | 'disk_full'
  | 'write_failed'
  | 'corrupt'
  | 'newer_version'
  | 'prerelease'
  | 'not_ours'
  | 'engine';

const CODES: Record<StorageProblem, ErrorCode> = {
  in_use: 'bad_config',
  not_writable: 'bad_config',
  disk_full: 'storage_full',
  write_failed: 'storage_failed',
  corrupt: 'storage_failed',
  newer_version: 'bad_config',
  prerelease: 'bad_config',
  not_ours: 'bad_config',
  unreachable: 'storage_failed',
  not_allowed: 'bad_config',
  not_there: 'bad_config',
  bad_url: 'bad_config',
  engine: 'storage_failed',
};

/** An error of this package with a message for the user: it names the folder or file and a solution. */
export class StorageError extends ToolyardError {
  readonly problem: StorageProblem;

  constructor(problem: StorageProblem, info: Omit<ErrorInfo, 'code'>, options?: { cause?: unknown }) {
    super({ code: CODES[problem], ...info }, options);
    this.name = 'StorageError';
    this.problem = problem;
  }

  /** Works across copies of this package. */
  static override isInstance(value: unknown): value is StorageError {
    return ToolyardError.isInstance(value) && 'problem' in value;
  }
}

/** SQLite's primary result code of an error; undefined for other errors. */
export function sqliteCode(thrown: unknown): number | undefined {
  const code = extendedCode(thrown);
  return code === undefined ? undefined : code & 0xff;
}

function extendedCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown) || typeof thrown.errcode !== 'number') return undefined;
  return thrown.errcode;
}

/** The result codes distinguished by this package. */
export const SQLITE = { busy: 5, readonly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, constraint: 19 };
/** I/O errors of writes: write, fsync, truncate, and growing the shared-memory file. */
const WRITE_ERRORS: ReadonlySet<number> = new Set([3, 4, 6, 19].map((detail) => SQLITE.ioError | (detail << 8)));
const NOT_A_DATABASE = 26;
const PERMISSION = 3;

/** Converts an error of the database or file system to a StorageError about `where`, a folder or a file. */
export function toStorageError(thrown: unknown, where: string): StorageError {
  if (StorageError.isInstance(thrown)) return thrown;
  const problem = sqliteProblem(extendedCode(thrown)) ?? fileProblem(thrown);
  return new StorageError(problem, describe(problem, where, getDetail(thrown)), { cause: thrown });
}

/** Descriptions of file system error codes: nothing can be written. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'it does not exist and cannot be created',
  ENOTDIR: 'a file exists where a folder is needed',
  EEXIST: 'a file exists where a folder is needed',
  EISDIR: 'a folder exists where a file is needed',
};

function getDetail(thrown: unknown): string {
  return thrown instanceof Error ? (REASONS[getErrorCode(thrown)] ?? thrown.message) : 'unknown reason';
}

function getErrorCode(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}

function sqliteProblem(extended: number | undefined): FolderProblem | undefined {
  if (extended === undefined) return undefined;
  if (WRITE_ERRORS.has(extended)) return 'write_failed';
  switch (extended & 0xff) {
    case SQLITE.busy:
      return 'in_use';
    case SQLITE.readonly:
    case SQLITE.cannotOpen:
    case PERMISSION:
      return 'not_writable';
    case SQLITE.full:
      return 'disk_full';
    case SQLITE.corrupt:
    case NOT_A_DATABASE:
      return 'corrupt';
    default:
      return 'engine';
  }
}

function fileProblem(thrown: unknown): FolderProblem {
  const code = getErrorCode(thrown);
  if (Object.hasOwn(REASONS, code)) return 'not_writable';
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'disk_full';
    case 'EFBIG':
    case 'EIO':
      return 'write_failed';
    default:
      return 'engine';
  }
}

/** Message and hint of each problem. */
const TEXTS: Record<FolderProblem, (where: string, detail: string) => [message: string, hint?: string]> = {
  in_use: (where) => [
    `${where} is in use by another process, most likely another Toolyard.`,
    'Use the running one, stop it first, or choose another data folder.',
  ],
  not_writable: (where, detail) => [
    `${where} cannot be written: ${detail}.`,
    'Check the permissions, or choose another data folder.',
  ],
  disk_full: (where) => [`There is no space left for ${where}.`, 'Free disk space. Data stored before is safe.'],
  write_failed: (where) => [
    `${where} cannot be written: the disk is full, a quota is used up, or the disk is failing.`,
    'Free disk space, or check the disk. Data stored before is safe.',
  ],
  corrupt: (where, detail) => [
    `${where} is damaged: ${detail}.`,
    'Keep a copy of the damaged file and restore a backup.',
  ],
  newer_version: (where, detail) => [
    `${where} was written by a newer Toolyard and is incompatible with this version (${VERSION}): ${detail}.`,
    'Start the newer version, or choose another data folder. Nothing was changed.',
  ],
  prerelease: (where) => [
    `${where} was written by a version of Toolyard before its first release, which this version cannot read.`,
    'Choose another data folder. Nothing was changed.',
  ],
  not_ours: (where) => [
    `${where} is a database of another program.`,
    'Choose another data folder. Nothing was changed.',
  ],
  engine: (where, detail) => [`The database ${where} failed: ${detail}.`],
};

function describe(problem: FolderProblem, where: string, detail: string): Omit<ErrorInfo, 'code'> {
  const [message, hint] = TEXTS[problem](where, detail);
  return { message, ...defined({ hint }) };
}

/** The error for a problem that was detected by a check rather than thrown by SQLite. */
export function createStorageError(problem: FolderProblem, where: string, detail = 'unknown reason'): StorageError {
  return new StorageError(problem, describe(problem, where, detail));
}

/** Runs `work` and converts errors of SQLite to {@link StorageError}; others pass unchanged. */
export function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const isEngines = error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR';
    throw isEngines ? toStorageError(error, file) : error;
  }
}

/** The error for a folder or database with an incomplete copy. */
export function createUnfinishedCopyError(where: string): StorageError {
  return new StorageError('not_writable', {
    message: `${where} contains an unfinished copy.`,
    hint: 'Run the same "toolyard db copy" again to finish it, or delete it.',
  });
}
