import { randomUUID } from 'node:crypto';
import { closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs';
import { chmod, copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { blobPath } from './blobs.ts';
import { BLOBS_FOLDER, DATABASE_FILE, FINGERPRINT_FILE, KEY_FILE, USER_FILES, SALT_FILE } from './layout.ts';
import { refuseForeignDatabase } from './sqlite/migrate.ts';
import { StorageError, toStorageError } from './storage-error.ts';

/** All pages in one step: a consistent picture, made by another thread, that no writer has to wait for. */
const WHOLE_DATABASE = 2 ** 31 - 1;

export type BackupOptions = {
  /** False leaves out what the stored secrets are opened with: then nobody who finds the backup can read them. */
  keys: boolean;
};

/** The files beside database and blobs that are in a backup, by name. */
export type BackupResult = { files: string[] };

/**
 * Copies an open data folder to `to`, which must not exist yet: it is a data folder itself then. Until all of it is
 * there and has been read back, it has another name: what bears the name `to` is whole.
 *
 * @throws StorageError where `from` holds no database of ours, or `to` exists or cannot be written.
 */
export async function backupFolder(from: string, to: string, { keys }: BackupOptions): Promise<BackupResult> {
  const target = resolve(to);
  const draft = join(dirname(target), `.toolyard-backup-${randomUUID()}`);
  refuseToCopy(from);
  try {
    if (existsSync(target)) throw exists(target);
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    await copyDatabase(join(from, DATABASE_FILE), join(draft, DATABASE_FILE));
    await copyBlobs(join(from, BLOBS_FOLDER), draft);
    // After the database: a key is made before anything is sealed with it.
    const files = await copyFiles(from, draft, [
      ...USER_FILES,
      ...(keys ? [KEY_FILE, SALT_FILE, FINGERPRINT_FILE] : []),
    ]);
    await rename(draft, target);
    return { files };
  } catch (error) {
    // What went wrong first is what is told.
    await rm(draft, { recursive: true, force: true }).catch(() => {});
    throw toStorageError(error, target);
  }
}

function refuseToCopy(from: string): void {
  const file = join(from, DATABASE_FILE);
  if (!existsSync(file)) {
    throw new StorageError('not_ours', {
      message: `${from} holds no Toolyard database.`,
      hint: 'Name the data folder that is to be copied.',
    });
  }
  refuseForeignDatabase(file);
}

/** Those that are there; for their owner alone, since servers and providers may be written with their keys. */
async function copyFiles(from: string, to: string, names: readonly string[]): Promise<string[]> {
  const present = names.filter((name) => existsSync(join(from, name)));
  for (const name of present) {
    await copyFile(join(from, name), join(to, name));
    await chmod(join(to, name), 0o600);
  }
  return present;
}

async function copyDatabase(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true, timeout: 5_000 });
  try {
    closeSync(openSync(to, 'wx', 0o600));
    await backup(source, to, { rate: WHOLE_DATABASE });
  } finally {
    source.close();
  }
}

/** The blobs the copied database names: later ones do not belong to this picture. */
async function copyBlobs(from: string, draft: string): Promise<void> {
  const copy = new DatabaseSync(join(draft, DATABASE_FILE));
  try {
    // One file that stands by itself, without a log beside it, is what people copy about.
    copy.exec('PRAGMA journal_mode = DELETE');
    const to = join(draft, BLOBS_FOLDER);
    for (const row of copy.prepare('SELECT DISTINCT sha256 FROM blobs').all()) {
      const path = blobPath(String(row['sha256']));
      // A backup is as good as what it is made of; the check names what is missing.
      if (!existsSync(join(from, path))) continue;
      await mkdir(dirname(join(to, path)), { recursive: true, mode: 0o700 });
      await copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE);
    }
    const found = String(copy.prepare('PRAGMA quick_check(1)').get()?.['quick_check']);
    if (found !== 'ok') throw new StorageError('corrupt', { message: `The backup came out damaged: ${found}.` });
  } finally {
    copy.close();
  }
}

function exists(target: string): StorageError {
  return new StorageError('not_writable', {
    message: `${target} exists already.`,
    hint: 'Name a folder that does not exist yet; a backup never writes over anything.',
  });
}
