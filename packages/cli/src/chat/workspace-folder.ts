import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, posix, resolve, win32 } from 'node:path';
import { createConfigError } from '../errors.ts';

/** The folder of `--workspace`, with links resolved. @throws ToolyardError `bad_config` if it is not a folder */
export function localWorkspace(flag: string, cwd: string): string {
  const path = resolve(cwd, flag);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (flag.trim() !== '' && isFolder) return realpathSync(path);
  throw createConfigError(`--workspace: ${path} is not a folder.`, 'Name an existing folder.');
}

/**
 * The folder of `--workspace` for a chat on a server. Only one on this machine can be checked here.
 *
 * @throws ToolyardError `bad_config` if it is not a folder, or not an absolute path on another machine
 */
export function workspaceOnServer(flag: string, cwd: string, serverUrl: string): string {
  const { hostname } = new URL(serverUrl);
  if (/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)) return localWorkspace(flag, cwd);
  if (isAbsolute(flag) || posix.isAbsolute(flag) || win32.isAbsolute(flag)) return flag;
  throw createConfigError(
    `--workspace: "${flag}" is not an absolute path.`,
    `The folder is on the machine of the server (${hostname}): write its whole path.`,
  );
}
