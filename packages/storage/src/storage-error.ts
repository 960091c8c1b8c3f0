import type { ErrorCode, ErrorInfo } from '@toolyard/protocol';
import { ToolyardError, VERSION } from '@toolyard/protocol';

/**
 * What is wrong with the data folder or the database in it.
 * - `in_use`: another Toolyard has the folder open
 * - `not_writable`: the folder or a file in it cannot be written
 * - `disk_full`: no room, or the quota is used up; what was stored stays readable
 * - `write_failed`: the same, or the disk itself fails: SQLite does not tell
 * - `corrupt`: the file is damaged
 * - `newer_version`: written by a later Toolyard; untouched
 * - `not_ours`: a database of some other program; untouched
 * - `unreachable`: the database server does not answer, or a connection to it was lost
 * - `not_allowed`: the database server does not accept user and password
 * - `not_there`: the database server has no such database
 * - `bad_url`: what was given is no address of a database
 * - `engine`: anything else the database says
 */
export type StorageProblem = FolderProblem | 'unreachable' | 'not_allowed' | 'not_there' | 'bad_url';

type FolderProblem =
  | 'in_use'
  | 'not_writable'
  | 'disk_full'
  | 'write_failed'
  | 'corrupt'
  | 'newer_version'
  | 'not_ours'
  | 'engine';

const CODES: Record<StorageProblem, ErrorCode> = {
  in_use: 'bad_config',
  not_writable: 'bad_config',
  disk_full: 'storage_full',
  write_failed: 'storage_failed',
  corrupt: 'storage_failed',
  newer_version: 'bad_config',
  not_ours: 'bad_config',
  unreachable: 'storage_failed',
  not_allowed: 'bad_config',
  not_there: 'bad_config',
  bad_url: 'bad_config',
  engine: 'storage_failed',
};

/** An error of this room, fit to be shown: it names the folder or file and what can be done. */
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

/** SQLite's primary result code of what was thrown; undefined where it is no error of SQLite. */
export function sqliteCode(thrown: unknown): number | undefined {
  const code = extendedCode(thrown);
  return code === undefined ? undefined : code & 0xff;
}

function extendedCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown) || typeof thrown.errcode !== 'number') return undefined;
  return thrown.errcode;
}

/** The result codes this room tells apart. */
export const SQLITE = { busy: 5, readonly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, constraint: 19 };
/** I/O errors of writing: write, fsync, truncate, and making the file of the shared memory larger. */
const WRITE_ERRORS: ReadonlySet<number> = new Set([3, 4, 6, 19].map((detail) => SQLITE.ioError | (detail << 8)));
const NOT_A_DATABASE = 26;
const PERMISSION = 3;

/** Says plainly what the database or the file system threw about `where`, a folder or a file. */
export function toStorageError(thrown: unknown, where: string): StorageError {
  if (StorageError.isInstance(thrown)) return thrown;
  const problem = sqliteProblem(extendedCode(thrown)) ?? fileProblem(thrown);
  return new StorageError(problem, describe(problem, where, detailOf(thrown)), { cause: thrown });
}

/** What systems say when a file or a folder cannot be made, in words. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'that file system is read-only',
  ENOENT: 'it is not there and cannot be made',
  ENOTDIR: 'a file stands where a folder should be',
  EEXIST: 'a file stands where a folder should be',
  EISDIR: 'a folder stands where a file should be',
};

function detailOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'unknown reason';
  const code = 'code' in thrown ? String(thrown.code) : '';
  return REASONS[code] ?? thrown.message;
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
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
    case 'EEXIST':
    case 'EISDIR':
    case 'ENOENT':
      return 'not_writable';
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

function describe(problem: FolderProblem, where: string, detail: string): Omit<ErrorInfo, 'code'> {
  switch (problem) {
    case 'in_use':
      return {
        message: `${where} is in use by another program, most likely another Toolyard.`,
        hint: 'Use the one that is running, end it first, or choose another data folder.',
      };
    case 'not_writable':
      return {
        message: `${where} cannot be written: ${detail}.`,
        hint: 'Check who may write there, or choose another data folder.',
      };
    case 'disk_full':
      return {
        message: `There is no room left for ${where}.`,
        hint: 'Make room on the disk. What was stored before is safe.',
      };
    case 'write_failed':
      return {
        message: `${where} cannot be written: the disk is full, a quota is used up, or the disk fails.`,
        hint: 'Make room, or look at the disk. What was stored before is safe.',
      };
    case 'corrupt':
      return {
        message: `${where} is damaged: ${detail}.`,
        hint: 'Keep a copy of the file as it is and put a backup in its place.',
      };
    case 'newer_version':
      return {
        message: `${where} was written by a newer Toolyard in a way this one (${VERSION}) does not know: ${detail}.`,
        hint: 'Start that version, or choose another data folder. Nothing was changed.',
      };
    case 'not_ours':
      return {
        message: `${where} is a database of another program.`,
        hint: 'Choose another data folder. Nothing was changed.',
      };
    case 'engine':
      return { message: `The database ${where} failed: ${detail}.` };
  }
}

/** The error for a problem found by looking rather than thrown by the engine. */
export function storageError(problem: FolderProblem, where: string, detail = 'unknown reason'): StorageError {
  return new StorageError(problem, describe(problem, where, detail));
}

/** Runs `work` and turns what the engine throws into a {@link StorageError}; what is none of it passes as it is. */
export function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const isEngines = error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR';
    throw isEngines ? toStorageError(error, file) : error;
  }
}

/** For what a copy was begun to, and is not whole. */
export function unfinishedCopy(where: string): StorageError {
  return new StorageError('not_writable', {
    message: `${where} holds a copy that was not finished.`,
    hint: 'Finish it with the "toolyard db copy" it was begun with, or throw it away.',
  });
}
