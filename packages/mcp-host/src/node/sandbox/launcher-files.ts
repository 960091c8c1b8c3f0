import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLauncher } from '../../connection/launcher.ts';
import type { TransportConfig } from '../../types.ts';
import { findCommand } from '../launch/find-command.ts';
import { launcherSettings } from '../launch/launcher-settings.ts';
import { programMounts, resolvePath } from './machine-files.ts';
import type { Mount } from './profile.ts';

type StdioConfig = Extract<TransportConfig, { type: 'stdio' }>;

/** Launchers of Python servers. */
const PYTHON: ReadonlySet<string> = new Set(['uv', 'uvx', 'pipx']);

/** Additional files a server may read, and the variables that name them. */
export type ExtraFiles = {
  mounts: Mount[];
  /** Files that Toolyard wrote for the server. */
  own: Mount[];
  env: Record<string, string>;
};

/** What a launcher needs in addition to its program: the settings of its package manager, and Python if it uses it. */
export function launcherFiles(
  { config, env, warn }: { config: StdioConfig; env: Record<string, string>; warn: (text: string) => void },
  privateHome: string,
  home: string,
): ExtraFiles {
  const launcher = findLauncher(config);
  const python = launcher !== undefined && PYTHON.has(launcher) ? findCommand('python3', env['PATH']) : undefined;
  const mounts = python === undefined ? [] : programMounts(python, undefined, home);
  const settings = launcherSettings(launcher, home, process.env);
  if (settings === undefined) return { mounts, own: [], env: {} };

  const { variable, name, text, certificates, withheld, source } = settings;
  for (const key of withheld) {
    warn(
      `"${key}" in ${source} contains credentials and is not passed to the server. To pass the whole file, add ` +
        `"${variable}": ${JSON.stringify(source)} to "env" of its entry, and the file to "read" of its "sandbox".`,
    );
  }
  // Not inside the private home folder: there the server could have placed a link to another location.
  const folder = `${privateHome}.settings`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return { mounts: [...mounts, ...certificates.flatMap(toMounts)], own: toMounts(file), env: { [variable]: file } };
}

function toMounts(path: string): Mount[] {
  const found = resolvePath(path);
  return found === undefined ? [] : [{ path, source: found.path }];
}
