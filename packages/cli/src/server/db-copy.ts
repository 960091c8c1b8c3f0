import { resolve } from 'node:path';
import { systemClock } from '@toolyard/protocol';
import type { CopyResult, StorageLocation } from '@toolyard/storage';
import type { CommandIo } from '../command-io.ts';
import { EXIT } from '../exit.ts';
import { dataDirFrom } from './data-dir.ts';
import { createConfigError } from '../errors.ts';

type CopyFlags = { to?: string; dataDir?: string; from?: string; toDir?: string };

/** `toolyard db copy`: from a data folder to a database, or from a database to a data folder. */
export async function copyCommand(io: CommandIo, flags: CopyFlags): Promise<number> {
  const { env } = io;
  const { copyStorage, readS3Settings } = await import('@toolyard/storage');
  const bucket = env['TOOLYARD_BLOBS_URL']?.trim() ?? '';
  const withFiles = (location: StorageLocation): StorageLocation =>
    'url' in location && bucket !== '' ? { ...location, files: readS3Settings(bucket, env) } : location;
  const locations = readLocations(flags, io);
  const [from, to] = [withFiles(locations[0]), withFiles(locations[1])];
  let copied: CopyResult;
  try {
    copied = await copyStorage(from, to, {
      clock: systemClock,
      onStep: (step) => io.stderr.write(`toolyard: ${getName(step)}\n`),
    });
  } catch (thrown) {
    if (!('folder' in from)) throw thrown;
    // Imported here because it is slow to load and only this error needs it.
    const { describeLockHolder } = await import('@toolyard/server');
    throw await describeLockHolder(thrown, from.folder);
  }
  const { rows, blobs, unreadableBlobs } = copied;
  const count = [...rows].filter(([, n]) => n > 0).map(([name, n]) => `${n} ${getName(name)}`);
  io.stdout.write(`Copied and verified: ${count.join(', ')}; ${blobs} files.\n`);
  for (const sha256 of unreadableBlobs) io.stdout.write(`File ${sha256} is unreadable and missing from the copy.\n`);
  io.stdout.write('folder' in to ? folderNotes(to.folder) : databaseNotes(from));
  return EXIT.done;
}

const STEP_NAMES: Readonly<Record<string, string>> = {
  bytes: 'files',
  blobs: 'file entries',
  check: 'comparing rows',
  search: 'building the search index',
  check_bytes: 'verifying the copied files',
};

/** The name of a copy step or table, for the user. */
function getName(name: string): string {
  return STEP_NAMES[name] ?? name.replaceAll('_', ' ');
}

function readLocations({ to, from, toDir, dataDir }: CopyFlags, io: CommandIo): [StorageLocation, StorageLocation] {
  if (to !== undefined && from === undefined && toDir === undefined) {
    return [{ folder: dataDirFrom(dataDir, io) }, { url: readUrl(to, io.env) }];
  }
  if (from !== undefined && toDir !== undefined && to === undefined && dataDir === undefined) {
    return [{ url: readUrl(from, io.env) }, { folder: resolve(io.cwd, toDir) }];
  }
  throw createConfigError(
    'Source and target are missing or ambiguous.',
    'Use --to <url> [--data-dir <folder>], or --from <url> --to-dir <folder>.',
  );
}

function readUrl(value: string, env: NodeJS.ProcessEnv): string {
  if (value !== '-') return value;
  const url = env['DATABASE_URL']?.trim() ?? '';
  if (url !== '') return url;
  throw createConfigError(
    'The database URL is "-", but DATABASE_URL is not set.',
    'Set DATABASE_URL, or pass the URL of the database.',
  );
}

function databaseNotes(from: StorageLocation): string {
  const folder = 'folder' in from ? from.folder : '';
  return [
    `Start the server with it: DATABASE_URL=... TOOLYARD_SECRET=... toolyard serve --data-dir ${folder}`,
    'API keys and sign-ins were copied encrypted. Those encrypted with TOOLYARD_SECRET need the same TOOLYARD_SECRET.',
    'Those encrypted with secret.key need that file in the data folder of the server: the first start encrypts provider',
    'keys with TOOLYARD_SECRET, the next renewal of a sign-in encrypts the sign-in.',
    'config.json and mcp.json were not copied: every process reads them from its own data folder.',
    'Use only one of the two from now on. The data folder was not changed.',
    '',
  ].join('\n');
}

function folderNotes(folder: string): string {
  return [
    `Start the server with it: TOOLYARD_SECRET=... toolyard serve --data-dir ${folder}`,
    'API keys and sign-ins were copied encrypted; they need the TOOLYARD_SECRET of the database.',
    'config.json and mcp.json are not in the database: copy them from the data folder of a process that used it.',
    'Use only one of the two from now on. The database was not changed.',
    '',
  ].join('\n');
}
