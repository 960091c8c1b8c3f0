import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { leadsOut } from '@toolyard/mcp-host/node';
import { ToolyardError } from '@toolyard/protocol';

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
/** Without it, opening a named pipe waits for its other end. */
const NON_BLOCKING = constants.O_NONBLOCK ?? 0;

/** Folders below it are ordinary ones, in memory. */
const IN_MEMORY = '/dev/shm/';

/** The folder of a conversation, with links resolved. */
export type Workspace = { root: string };

/**
 * The rule: **an approved folder is the folder at that path, not what a link there leads to**. A path with a symbolic link
 * in any part is refused with its target, because a program that can write the link would choose the folder.
 *
 * @param hidden folders that no workspace may contain or be in: the data folder
 * @throws ToolyardError `tool_failed` if it cannot be used
 */
export function openWorkspace(path: string | undefined, hidden: readonly string[]): Workspace {
  if (path === undefined || !isAbsolute(path))
    throw createToolFailedError('This conversation has no workspace folder.');
  const root = resolvedOrNull(path);
  if (root === null || !statSync(root).isDirectory())
    throw createToolFailedError(`The workspace ${path} is not a folder.`);
  if (dirname(root) === root) throw createToolFailedError('The root of the file system cannot be a workspace.');
  if (leadsOut(root) && !root.startsWith(IN_MEMORY))
    throw createToolFailedError(`The workspace ${path} is a folder of the system (processes, devices, sockets).`);
  for (const folder of hidden.flatMap((each) => resolvedOrNull(each) ?? [])) {
    if (isInside(folder, root) || isInside(root, folder)) {
      throw createToolFailedError(`The workspace ${path} contains the data of Toolyard, or is part of it.`);
    }
  }
  if (root !== resolve(path)) throw createLinkError(path, root);
  return { root };
}

/** The workspace as roots for MCP servers; none if it cannot be used. */
export function toRoots(path: string | undefined, dataFolder: string | undefined): string[] {
  if (path === undefined) return [];
  try {
    return [pathToFileURL(openWorkspace(path, dataFolder === undefined ? [] : [dataFolder]).root).href];
  } catch {
    // The tools of the workspace report why.
    return [];
  }
}

function createLinkError(path: string, root: string): ToolyardError {
  return createToolFailedError(
    `The workspace ${path} leads to ${root} through a symbolic link. If that folder is intended, choose it by this path.`,
  );
}

function resolvedOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The path as a model sees it: relative to the workspace, with slashes. */
export function shownPath({ root }: Workspace, path: string): string {
  return relative(root, path).split(sep).join('/') || '.';
}

/**
 * The real path of an existing file or folder.
 *
 * @throws ToolyardError `tool_failed` if it does not exist, or is outside of the workspace, also by a link
 */
export async function existingPath(workspace: Workspace, path: string): Promise<string> {
  const wanted = joined(workspace, path);
  const real = await realpath(wanted).catch((thrown: unknown) => {
    throw createUnusablePathError(path, thrown);
  });
  if (!isInside(real, workspace.root)) throw createOutsideError(path);
  return real;
}

/**
 * Opens a regular file. What is opened is checked after opening: a link that replaces a folder between a check and its
 * use leads nowhere.
 *
 * @param how `create`: also a new file, whose folder exists
 */
export async function openFile(
  workspace: Workspace,
  path: string,
  how: 'read' | 'write' | 'create',
): Promise<FileHandle> {
  const wanted = joined(workspace, path);
  // The last part of the path must not be a link; existing links to files inside are followed by `existingPath`.
  const folder = await realpath(dirname(wanted)).catch((thrown: unknown) => {
    throw createUnusablePathError(path, thrown);
  });
  if (!isInside(folder, workspace.root)) throw createOutsideError(path);
  const access = how === 'read' ? constants.O_RDONLY : constants.O_RDWR;
  const creating = how === 'create' ? constants.O_CREAT : 0;
  const target = join(folder, basename(wanted));
  const handle = await open(target, access | creating | NO_FOLLOW | NON_BLOCKING, 0o644).catch((thrown: unknown) => {
    throw createUnusablePathError(path, thrown);
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw createToolFailedError(`${path} is not a regular file.`);
    // Another name of the same file may be outside.
    if (stats.nlink > 1)
      throw createToolFailedError(
        `${path} has several names (hard links), of which one may be outside of the workspace.`,
      );
    if (!isInside(readLocation(handle.fd, target, stats), workspace.root)) throw createOutsideError(path);
    return handle;
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/**
 * The text of a regular file at once, for the diff of a call that is not approved yet; null if it does not exist, is
 * outside of the workspace, a link, or larger than `maxBytes`.
 */
export function peekText(workspace: Workspace, path: string, maxBytes: number): string | null {
  let fd: number | undefined;
  try {
    const wanted = joined(workspace, path);
    const target = join(realpathSync(dirname(wanted)), basename(wanted));
    fd = openSync(target, constants.O_RDONLY | NO_FOLLOW | NON_BLOCKING);
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.nlink > 1 || stats.size > maxBytes) return null;
    return isInside(readLocation(fd, target, stats), workspace.root) ? readFileSync(fd, 'utf8') : null;
  } catch {
    return null;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Where an open file really is. */
function readLocation(fd: number, target: string, opened: { dev: number; ino: number }): string {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${fd}`);
  const real = realpathSync(target);
  const now = statSync(real);
  if (now.dev === opened.dev && now.ino === opened.ino) return real;
  throw createToolFailedError('The file was replaced while it was opened. Try again.');
}

/** @throws ToolyardError `tool_failed` for a path that leaves the workspace as it is written */
function joined({ root }: Workspace, path: string): string {
  if (path.includes('\0')) throw createToolFailedError('A path must not contain a NUL character.');
  const whole = isAbsolute(path) ? resolve(path) : resolve(root, path);
  if (!isInside(whole, root)) throw createOutsideError(path);
  return whole;
}

function createOutsideError(path: string): ToolyardError {
  return createToolFailedError(`${path} is outside of the workspace.`);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'has a file where a folder is expected',
  EISDIR: 'is a folder',
  ELOOP: 'is a symbolic link, which is not followed',
  EACCES: 'may not be accessed',
  EPERM: 'may not be accessed',
  ENXIO: 'is not a regular file',
};

function createUnusablePathError(path: string, thrown: unknown): ToolyardError {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  return createToolFailedError(`${path} ${REASONS[code] ?? `cannot be used (${code || 'unknown error'})`}.`);
}

export function createToolFailedError(message: string): ToolyardError {
  return new ToolyardError({ code: 'tool_failed', message });
}
