import { resolve } from 'node:path';
import { ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { EXIT } from '../exit.ts';
import { dataDirFrom } from './data-dir.ts';
import { createConfigError } from '../errors.ts';

/** `toolyard db check`. Returns 1 for damaged data. */
export async function checkCommand(io: CommandIo, flags: { dataDir?: string; databaseUrl?: string }): Promise<number> {
  const { env } = io;
  const { checkDatabaseAt, checkStorage, readS3Settings } = await import('@toolyard/storage');
  const url = selectDatabase(flags, env);
  const folder = dataDirFrom(flags.dataDir, io);
  const bucket = env['TOOLYARD_BLOBS_URL']?.trim() ?? '';
  const { where, result } =
    url === null
      ? { where: folder, result: await checkStorage(folder) }
      : await checkDatabaseAt(url, bucket === '' ? undefined : readS3Settings(bucket, env));
  if (result.ok) {
    io.stdout.write(`${where}: OK\n`);
    return EXIT.done;
  }
  for (const problem of result.problems) io.stdout.write(`${problem}\n`);
  io.stdout.write(`${where}: damaged, see above. Restore a backup.\n`);
  return EXIT.failed;
}

/** The URL of the database; null for a data folder. Flags take precedence over the environment. */
function selectDatabase(flags: { dataDir?: string; databaseUrl?: string }, env: NodeJS.ProcessEnv): string | null {
  if (flags.databaseUrl !== undefined) return flags.databaseUrl;
  const inEnvironment = env['DATABASE_URL']?.trim() ?? '';
  return flags.dataDir === undefined && inEnvironment !== '' ? inEnvironment : null;
}

/** `toolyard db backup`: copies to a new data folder, even while a server uses the old one. */
export async function backupCommand(
  io: CommandIo,
  to: string,
  flags: { dataDir?: string; keys: boolean },
): Promise<number> {
  if (selectDatabase(flags, io.env) !== null) {
    throw createConfigError(
      'DATABASE_URL is set: "db backup" copies data folders, not PostgreSQL databases.',
      'Use pg_dump "$DATABASE_URL", or name a data folder with --data-dir.',
    );
  }
  const { backupFolder } = await import('@toolyard/storage');
  const folder = dataDirFrom(flags.dataDir, io);
  const notes: string[] = [];
  const { files } = await backupFolder(
    folder,
    resolve(io.cwd, to),
    flags.keys ? { keys: true } : { keys: false, edit: await withoutValues(notes) },
  );
  io.stdout.write(`Copied ${folder} to ${to}\n`);
  io.stdout.write(`Start the server with it: toolyard serve --data-dir ${to}\n`);
  io.stdout.write(`${keyNotes(files, flags.keys)}\n`);
  for (const note of notes) io.stdout.write(`${note}\n`);
  return EXIT.done;
}

/** Leaves the values of `mcp.json` out of a backup. */
async function withoutValues(notes: string[]): Promise<(name: string, text: string) => string | null> {
  const { mcpConfigWithoutValues } = await import('@toolyard/mcp-host/node');
  return (name, text) => {
    if (name !== 'mcp.json') return text;
    try {
      const edited = mcpConfigWithoutValues(text);
      notes.push(
        'mcp.json was copied without comments, without the values of env, headers, settings and sign-ins, and without keys in arguments and URLs: its servers name what is missing (LEFT_OUT_OF_BACKUP). Enter the values again after you restore it.',
      );
      return edited;
    } catch (thrown) {
      if (!ToolyardError.isInstance(thrown)) throw thrown;
      notes.push(`mcp.json was left out, because its keys cannot be found: ${thrown.message}`);
      return null;
    }
  };
}

/** Who can decrypt the secrets in the backup. */
function keyNotes(files: readonly string[], withKeys: boolean): string {
  const configFiles = files.filter((name) => name.endsWith('.json') && (withKeys || name !== 'mcp.json'));
  const configNote =
    configFiles.length === 0
      ? ''
      : ` ${configFiles.join(' and ')} ${configFiles.length === 1 ? 'was' : 'were'} copied unchanged, with any keys in ${configFiles.length === 1 ? 'it' : 'them'}.`;
  if (!withKeys) {
    return `The backup does not contain secret.key and secret.salt: add those files to read its API keys.${configNote}`;
  }
  if (files.includes('secret.key')) {
    return `The backup contains secret.key: anyone with this folder can read its API keys (--without-keys leaves it out).${configNote}`;
  }
  if (files.includes('secret.salt')) {
    return `The API keys in the backup need the current TOOLYARD_SECRET.${configNote}`;
  }
  return `The backup contains no stored API keys.${configNote}`;
}
