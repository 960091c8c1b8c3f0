import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';

/**
 * The data folder: `--data-dir`, else `TOOLYARD_DATA_DIR`, else where this system keeps such things. Throws
 * ToolyardError where the flag is there and says nothing, as `--data-dir "$UNSET"` does: the working folder is not meant.
 */
export function dataDirFrom(
  flag: string | undefined,
  { env, cwd }: Pick<CommandIo, 'env' | 'cwd'>,
  platform = process.platform,
): string {
  if (flag !== undefined && !saysSomething(flag)) {
    throw new ToolyardError({
      code: 'bad_config',
      message: '--data-dir is empty.',
      hint: 'Name a folder, or leave it out for the usual one.',
    });
  }
  const given = flag ?? env['TOOLYARD_DATA_DIR'];
  return saysSomething(given) ? resolve(cwd, given) : standardDataDir(env, platform);
}

function standardDataDir(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const home = homeOf(env, platform);
  switch (platform) {
    case 'darwin':
      return join(home, 'Library', 'Application Support', 'Toolyard');
    case 'win32':
      return join(
        saysSomething(env['LOCALAPPDATA']) ? env['LOCALAPPDATA'] : join(home, 'AppData', 'Local'),
        'Toolyard',
      );
    default:
      return join(xdgDataHome(env) ?? join(home, '.local', 'share'), 'toolyard');
  }
}

/** As `os.homedir()` finds it, but in the environment of the command. */
function homeOf(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const home = env[platform === 'win32' ? 'USERPROFILE' : 'HOME'];
  return saysSomething(home) ? home : homedir();
}

/** An empty or relative one counts as not set: that is the rule of those who made the variable. */
function xdgDataHome(env: NodeJS.ProcessEnv): string | null {
  const given = env['XDG_DATA_HOME'];
  return given !== undefined && isAbsolute(given) ? given : null;
}

function saysSomething(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}
