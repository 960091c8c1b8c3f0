import { resolve } from 'node:path';
import { ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { EXIT } from '../exit.ts';
import { dataDirFrom } from './data-dir.ts';

/** `toolyard db check`: reads everything through; exit code 1 where something is wrong. */
export async function checkCommand(io: CommandIo, flags: { dataDir?: string; databaseUrl?: string }): Promise<number> {
  const { env } = io;
  const { checkDatabaseAt, checkStorage, readS3Settings } = await import('@toolyard/storage');
  const url = databaseMeant(flags, env);
  const folder = dataDirFrom(flags.dataDir, io);
  const bucket = env['TOOLYARD_BLOBS_URL']?.trim() ?? '';
  const { where, result } =
    url === null
      ? { where: folder, result: await checkStorage(folder) }
      : await checkDatabaseAt(url, bucket === '' ? undefined : readS3Settings(bucket, env));
  if (result.ok) {
    io.stdout.write(`${where}: nothing wrong was found.\n`);
    return EXIT.done;
  }
  for (const problem of result.problems) io.stdout.write(`${problem}\n`);
  io.stdout.write(`${where}: damaged, see above. Put a backup in its place.\n`);
  return EXIT.failed;
}

/** The database that is meant; null where it is a folder: what was typed counts before the environment. */
function databaseMeant(flags: { dataDir?: string; databaseUrl?: string }, env: NodeJS.ProcessEnv): string | null {
  if (flags.databaseUrl !== undefined) return flags.databaseUrl;
  const inEnvironment = env['DATABASE_URL']?.trim() ?? '';
  return flags.dataDir === undefined && inEnvironment !== '' ? inEnvironment : null;
}

/** `toolyard db backup`: a copy that is a data folder itself, made while a server may be at work. */
export async function backupCommand(
  io: CommandIo,
  to: string,
  flags: { dataDir?: string; keys: boolean },
): Promise<number> {
  if (databaseMeant(flags, io.env) !== null) {
    throw new ToolyardError({
      code: 'bad_config',
      message: 'DATABASE_URL is set: what is kept lies in PostgreSQL, and is backed up with its own tools.',
      hint: 'Use pg_dump "$DATABASE_URL"; a folder is backed up when it is named with --data-dir.',
    });
  }
  const { backupFolder } = await import('@toolyard/storage');
  const folder = dataDirFrom(flags.dataDir, io);
  const { files } = await backupFolder(folder, resolve(io.cwd, to), { keys: flags.keys });
  io.stdout.write(`${folder} was copied to ${to}\n`);
  io.stdout.write(`To start from it: toolyard serve --data-dir ${to}\n`);
  io.stdout.write(`${aboutKeys(files, flags.keys)}\n`);
  return EXIT.done;
}

/** Who can read the secrets in a backup is to be known to whoever carries it elsewhere. */
function aboutKeys(files: readonly string[], wanted: boolean): string {
  const owners = files.filter((name) => name.endsWith('.json'));
  const byHand = owners.length === 0 ? '' : ` ${owners.join(' and ')} went along as written, keys in them too.`;
  if (!wanted) {
    return `Without secret.key and secret.salt: the API keys in it cannot be read unless you put those files beside them.${byHand}`;
  }
  if (files.includes('secret.key')) {
    return `It holds secret.key: who has this folder can read the API keys in it (--without-keys leaves it out).${byHand}`;
  }
  if (files.includes('secret.salt')) {
    return `The API keys in it can be read with the TOOLYARD_SECRET of now.${byHand}`;
  }
  return `No API keys are stored in it.${byHand}`;
}
