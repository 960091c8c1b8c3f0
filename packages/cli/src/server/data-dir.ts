import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The data folder: as it was given, else where this system keeps such things. */
export function dataDirFrom(given: string | undefined, env: NodeJS.ProcessEnv, platform = process.platform): string {
  return given === undefined ? standardDataDir(env, platform) : resolve(given);
}

function standardDataDir(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const home = homedir();
  switch (platform) {
    case 'darwin':
      return join(home, 'Library', 'Application Support', 'Toolyard');
    case 'win32':
      return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'Toolyard');
    default:
      return join(env['XDG_DATA_HOME'] ?? join(home, '.local', 'share'), 'toolyard');
  }
}
