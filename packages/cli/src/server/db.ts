import { EXIT } from '../exit.ts';
import { dataDirFrom } from './data-dir.ts';

/** `toolyard db check`: reads everything through; exit code 1 where something is wrong. */
export async function checkCommand(flags: { dataDir?: string }, env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const { checkStorage } = await import('@toolyard/storage');
  const folder = dataDirFrom(flags.dataDir ?? env['TOOLYARD_DATA_DIR'], env);
  const result = await checkStorage(folder);
  if (result.ok) {
    process.stdout.write(`${folder}: nothing wrong was found.\n`);
    return EXIT.done;
  }
  for (const problem of result.problems) process.stdout.write(`${problem}\n`);
  process.stdout.write(`${folder}: damaged, see above. Put a backup in its place.\n`);
  return EXIT.failed;
}

/** `toolyard db backup`: a copy that is a data folder itself, made while a server may be at work. */
export async function backupCommand(
  to: string,
  flags: { dataDir?: string },
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const { backupFolder } = await import('@toolyard/storage');
  const folder = dataDirFrom(flags.dataDir ?? env['TOOLYARD_DATA_DIR'], env);
  await backupFolder(folder, to);
  process.stdout.write(`${folder} was copied to ${to}\n`);
  return EXIT.done;
}
