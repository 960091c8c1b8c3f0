import { accessSync, constants, statSync } from 'node:fs';
import { tryTo } from '../system-files.ts';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/**
 * The path of a command, found in the folders of `path` as the system finds it; undefined if no folder has it.
 *
 * @example
 * const path = findCommand('npx', process.env['PATH']);
 * if (path === undefined) console.log('npx is not installed');
 */
export function findCommand(command: string, path: string | undefined, cwd = process.cwd()): string | undefined {
  if (isAbsolute(command) || /[\\/]/.test(command)) return [resolve(cwd, command)].find(isExecutable);
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  return (path ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => endings.map((ending) => join(folder, `${command}${ending}`)))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  return tryTo(() => {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  }, false);
}
