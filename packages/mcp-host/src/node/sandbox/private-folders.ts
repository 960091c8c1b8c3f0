import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@toolyard/protocol';
import { canonicalJson, pause } from '@toolyard/protocol';
import type { TransportConfig } from '../../types.ts';
import { processesWith } from '../process-table.ts';
import { resolvePath } from './machine-files.ts';
import { createConfigError } from '../../values/config-error.ts';

/** Where the private home folders of sandboxed servers are. */
export type PrivateFolders = {
  /** Default: the cache folder of the user. */
  stateFolder?: string;
  /** The data folder whose `mcp.json` lists the servers; a folder is deleted with its entry. */
  listedIn?: string;
};

type StdioConfig = Extract<TransportConfig, { type: 'stdio' }>;

/** How long to wait for a process that still uses a folder, in milliseconds. */
const DELETE_TIMEOUT_MS = 10_000;
const POLL_MS = 200;

/**
 * The folder below which the private folders of sandboxed servers are, unless another one is configured.
 *
 * @example
 * const folders = await readdir(defaultStateFolder());
 */
export function defaultStateFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'toolyard', 'sandbox');
}

/**
 * Creates the private home folder of a server. Another command with the same name gets another folder, so that it never
 * runs what the first one cached.
 */
export function makePrivateFolder(
  place: PrivateFolders,
  serverId: string,
  { command, args = [] }: StdioConfig,
): string {
  const folder = join(getFolder(place), hashName(serverId), hashName(canonicalJson({ command, args })));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return resolvePath(folder)?.path ?? folder;
  } catch (error) {
    throw createConfigError(
      `The server "${serverId}" is not started: its private folder ${folder} cannot be created (${getErrorCode(error)}).`,
    );
  }
}

/**
 * Deletes the folders of a server once no process uses them. @throws Error that names the remaining folder and the
 * reason
 *
 * @example
 * await deletePrivateFolder({ listedIn: '/data' }, 'files', systemClock);
 */
export function deletePrivateFolder(place: PrivateFolders, serverId: string, clock: Clock): Promise<void> {
  return deleteUnused(join(getFolder(place), hashName(serverId)), clock);
}

/**
 * Deletes the folders of all other servers, except those in use by a process.
 *
 * @throws Error that names the remaining folder and the reason
 * @example
 * await deleteOtherPrivateFolders({ listedIn: '/data' }, ['files', 'date']);
 */
export async function deleteOtherPrivateFolders(place: PrivateFolders, serverIds: readonly string[]): Promise<void> {
  const kept = new Set(serverIds.map(hashName));
  const folder = getFolder(place);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => NAME.test(each) && !kept.has(each))) {
    if (!isUsed(join(folder, name))) await deleteFolder(join(folder, name));
  }
}

async function deleteUnused(folder: string, clock: Clock): Promise<void> {
  const start = clock.monotonic();
  while (isUsed(folder)) {
    if (clock.monotonic() - start >= DELETE_TIMEOUT_MS) throw new Error(`${folder} was not deleted: a process uses it`);
    await pause(clock, POLL_MS);
  }
  await deleteFolder(folder);
}

/** A process of the server uses the folder as its home folder. */
function isUsed(folder: string): boolean {
  const real = resolvePath(folder)?.path;
  return real !== undefined && processesWith(`HOME=${real}/`).length > 0;
}

/** Servers leave read-only folders, such as the module cache of Go. A link is deleted, not followed. */
async function deleteFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    try {
      await makeDeletable(folder);
      await rm(folder, { recursive: true, force: true });
    } catch (error) {
      throw new Error(`${folder} was not deleted (${getErrorCode(error)})`, { cause: error });
    }
  }
}

async function makeDeletable(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return;
  await chmod(path, 0o700);
  for (const name of await readdir(path)) await makeDeletable(join(path, name));
}

/** Servers outside of an `mcp.json` share one location: nothing announces their removal. */
function getFolder({ stateFolder = defaultStateFolder(), listedIn }: PrivateFolders): string {
  return join(stateFolder, listedIn === undefined ? 'unlisted' : hashName(resolvePath(listedIn)?.path ?? listedIn));
}

const NAME = /^[0-9a-f]{24}$/;

function hashName(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}
