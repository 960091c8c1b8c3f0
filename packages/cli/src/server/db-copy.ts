import { resolve } from 'node:path';
import { systemClock, ToolyardError } from '@toolyard/protocol';
import type { CopyResult, StorageLocation } from '@toolyard/storage';
import type { CommandIo } from '../command-io.ts';
import { EXIT } from '../exit.ts';
import { dataDirFrom } from './data-dir.ts';

type CopyFlags = { to?: string; dataDir?: string; from?: string; toDir?: string };

/** `toolyard db copy`: from a data folder to a database, or from a database to a data folder. */
export async function copyCommand(io: CommandIo, flags: CopyFlags): Promise<number> {
  const { env } = io;
  const { copyStorage, readS3Settings } = await import('@toolyard/storage');
  const bucket = env['TOOLYARD_BLOBS_URL']?.trim() ?? '';
  const withFiles = (place: StorageLocation): StorageLocation =>
    'url' in place && bucket !== '' ? { ...place, files: readS3Settings(bucket, env) } : place;
  const places = readPlaces(flags, io);
  const [from, to] = [withFiles(places[0]), withFiles(places[1])];
  let copied: CopyResult;
  try {
    copied = await copyStorage(from, to, {
      clock: systemClock,
      onStep: (step) => io.stderr.write(`toolyard: ${wordsFor(step)}\n`),
    });
  } catch (thrown) {
    if (!('folder' in from)) throw thrown;
    // Loaded only here: no other end of this command pays for it.
    const { describeLockHolder } = await import('@toolyard/server');
    throw await describeLockHolder(thrown, from.folder);
  }
  const { rows, blobs, lostBlobs } = copied;
  const count = [...rows].filter(([, n]) => n > 0).map(([name, n]) => `${n} ${wordsFor(name)}`);
  io.stdout.write(`Copied and compared: ${count.join(', ')}; ${blobs} files.\n`);
  for (const sha256 of lostBlobs) io.stdout.write(`File ${sha256} could not be read and is not in the copy.\n`);
  io.stdout.write('folder' in to ? aboutFolder(to.folder) : aboutDatabase(from));
  return EXIT.done;
}

const WORDS: Readonly<Record<string, string>> = {
  bytes: 'files',
  blobs: 'file entries',
  check: 'comparing',
  search: 'making it searchable',
  check_bytes: 'reading the copied files',
};

/** For a step of the copy or a table. */
function wordsFor(name: string): string {
  return WORDS[name] ?? name.replaceAll('_', ' ');
}

function readPlaces({ to, from, toDir, dataDir }: CopyFlags, io: CommandIo): [StorageLocation, StorageLocation] {
  if (to !== undefined && from === undefined && toDir === undefined) {
    return [{ folder: dataDirFrom(dataDir, io) }, { url: urlOf(to, io.env) }];
  }
  if (from !== undefined && toDir !== undefined && to === undefined && dataDir === undefined) {
    return [{ url: urlOf(from, io.env) }, { folder: resolve(io.cwd, toDir) }];
  }
  throw new ToolyardError({
    code: 'bad_config',
    message: 'It is not clear what is to be copied where.',
    hint: 'Either --to <url> [--data-dir <folder>], or --from <url> --to-dir <folder>.',
  });
}

function urlOf(given: string, env: NodeJS.ProcessEnv): string {
  if (given !== '-') return given;
  const url = env['DATABASE_URL']?.trim() ?? '';
  if (url !== '') return url;
  throw new ToolyardError({
    code: 'bad_config',
    message: 'DATABASE_URL is not set, and "-" stands for it.',
    hint: 'Set it, or write the address of the database in its place.',
  });
}

function aboutDatabase(from: StorageLocation): string {
  const folder = 'folder' in from ? from.folder : '';
  return [
    `To start from it: DATABASE_URL=... TOOLYARD_SECRET=... toolyard serve --data-dir ${folder}`,
    'API keys and sign-ins went along encrypted. What was encrypted with TOOLYARD_SECRET opens with the same one.',
    'What was encrypted with secret.key opens while that file lies in the data folder of the server; keys of providers',
    'are encrypted with TOOLYARD_SECRET when it first starts there, sign-ins when they are next renewed.',
    'config.json and mcp.json are not in the database: they stay in the data folder, each process needs them in its own.',
    'From now on only one of the two is to be used; the folder was left as it is.',
    '',
  ].join('\n');
}

function aboutFolder(folder: string): string {
  return [
    `To start from it: TOOLYARD_SECRET=... toolyard serve --data-dir ${folder}`,
    'API keys and sign-ins went along encrypted; they open with the TOOLYARD_SECRET of the database.',
    'config.json and mcp.json are not in a database: take them from the data folder of a process that used it.',
    'From now on only one of the two is to be used; the database was left as it is.',
    '',
  ].join('\n');
}
