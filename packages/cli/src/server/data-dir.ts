import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { CommandIo } from '../command-io.ts';
import { createConfigError } from '../errors.ts';

/**
 * The data folder: `--data-dir`, `TOOLYARD_DATA_DIR`, or the platform's default.
 *
 * @throws ToolyardError for an empty flag: `--data-dir "$UNSET"` must not resolve to the working folder
 */
export function dataDirFrom(
  flag: string | undefined,
  { env, cwd }: Pick<CommandIo, 'env' | 'cwd'>,
  platform = process.platform,
): string {
  if (flag !== undefined && !isNonBlank(flag)) {
    throw createConfigError('--data-dir is empty.', 'Name a folder, or leave out the flag to use the default folder.');
  }
  const path = flag ?? env['TOOLYARD_DATA_DIR'];
  return isNonBlank(path) ? resolve(cwd, path) : defaultDataDir(env, platform);
}

function defaultDataDir(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const home = getHome(env, platform);
  switch (platform) {
    case 'darwin':
      return join(home, 'Library', 'Application Support', 'Toolyard');
    case 'win32':
      return join(isNonBlank(env['LOCALAPPDATA']) ? env['LOCALAPPDATA'] : join(home, 'AppData', 'Local'), 'Toolyard');
    default:
      return join(xdgDataHome(env) ?? join(home, '.local', 'share'), 'toolyard');
  }
}

/** Like `os.homedir()`, with the environment of the command. */
function getHome(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const home = env[platform === 'win32' ? 'USERPROFILE' : 'HOME'];
  return isNonBlank(home) ? home : homedir();
}

/** The XDG specification says to ignore an empty or relative path. */
function xdgDataHome(env: NodeJS.ProcessEnv): string | null {
  const path = env['XDG_DATA_HOME'];
  return path !== undefined && isAbsolute(path) ? path : null;
}

function isNonBlank(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}
