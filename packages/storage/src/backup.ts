import { randomUUID } from 'node:crypto';
import { closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { blobPath } from './blobs.ts';
import { BLOBS_FOLDER, DATABASE_FILE, FINGERPRINT_FILE, KEY_FILE, USER_FILES, SALT_FILE } from './layout.ts';
import { refuseForeignDatabase } from './sqlite/migrate.ts';
import { StorageError, toStorageError } from './storage-error.ts';

/** All pages in one step: a consistent snapshot made by another thread, without blocking writers. */
const WHOLE_DATABASE = 2 ** 31 - 1;

export type BackupOptions = {
  /** False omits the key of the stored secrets: the backup then cannot reveal them. */
  keys: boolean;
  /** The text of a file of the user to write instead; null leaves the file out. */
  edit?: (name: string, text: string) => string | null;
};

/** Names of the files in a backup besides database and blobs. */
export type BackupResult = { files: string[] };

/**
 * Copies an open data folder to the new folder `to`, which is then a data folder itself. Until the copy is complete and
 * verified, it has a temporary name: a folder named `to` is always complete.
 *
 * @throws StorageError if `from` contains no Toolyard database, or `to` exists or cannot be written.
 */
export async function backupFolder(from: string, to: string, { keys, edit }: BackupOptions): Promise<BackupResult> {
  const target = resolve(to);
  const draft = join(dirname(target), `.toolyard-backup-${randomUUID()}`);
  requireDatabase(from);
  try {
    if (existsSync(target)) throw createExistsError(target);
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    await copyDatabase(join(from, DATABASE_FILE), join(draft, DATABASE_FILE));
    await copyBlobs(join(from, BLOBS_FOLDER), draft);
    // After the database: a key is created before anything is sealed with it.
    const files = [
      ...(await copyFiles(from, draft, USER_FILES, edit)),
      ...(await copyFiles(from, draft, keys ? [KEY_FILE, SALT_FILE, FINGERPRINT_FILE] : [])),
    ];
    await rename(draft, target);
    return { files };
  } catch (error) {
    // Report the original error, not one of the cleanup.
    await rm(draft, { recursive: true, force: true }).catch(() => {});
    throw toStorageError(error, target);
  }
}

function requireDatabase(from: string): void {
  const file = join(from, DATABASE_FILE);
  if (!existsSync(file)) {
    throw new StorageError('not_ours', {
      message: `${from} contains no Toolyard database.`,
      hint: 'Specify the data folder to copy.',
    });
  }
  refuseForeignDatabase(file);
}

/** Copies the existing ones, readable only by the owner, because servers and providers may be configured with keys. */
async function copyFiles(
  from: string,
  to: string,
  names: readonly string[],
  edit?: BackupOptions['edit'],
): Promise<string[]> {
  const copied: string[] = [];
  for (const name of names.filter((each) => existsSync(join(from, each)))) {
    const bytes = await readFile(join(from, name));
    const edited = edit === undefined ? bytes : edit(name, bytes.toString('utf8'));
    if (edited === null) continue;
    await writeFile(join(to, name), edited, { mode: 0o600 });
    copied.push(name);
  }
  return copied;
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

/** Copies the blobs of the copied database; newer ones are not part of the snapshot. */
async function copyBlobs(from: string, draft: string): Promise<void> {
  const copy = new DatabaseSync(join(draft, DATABASE_FILE));
  try {
    // A single file without a WAL, because users copy backups elsewhere.
    copy.exec('PRAGMA journal_mode = DELETE');
    const to = join(draft, BLOBS_FOLDER);
    for (const row of copy.prepare('SELECT DISTINCT sha256 FROM blobs').all()) {
      const path = blobPath(String(row['sha256']));
      // A blob may be missing in the original; the check reports it.
      if (!existsSync(join(from, path))) continue;
      await mkdir(dirname(join(to, path)), { recursive: true, mode: 0o700 });
      await copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE);
    }
    const found = String(copy.prepare('PRAGMA quick_check(1)').get()?.['quick_check']);
    if (found !== 'ok') throw new StorageError('corrupt', { message: `The backup is damaged: ${found}.` });
  } finally {
    copy.close();
  }
}

function createExistsError(target: string): StorageError {
  return new StorageError('not_writable', {
    message: `${target} already exists.`,
    hint: 'Specify a folder that does not exist yet; a backup never overwrites anything.',
  });
}
