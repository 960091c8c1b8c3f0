import { readIfThere } from '../system-files.ts';
import { isAbsolute, join } from 'node:path';
import { hasCredentials } from './child-environment.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings file of a package manager, reduced to what a sandboxed launcher may read. */
export type LauncherSettings = {
  /** The environment variable that names the file to the package manager. */
  variable: string;
  name: string;
  text: string;
  /** Certificate files named in the settings. */
  certificates: string[];
  /** Settings that are withheld because they contain credentials. */
  withheld: string[];
  /** The file the settings come from. */
  source: string;
};

type Kind = {
  variable: string;
  name: string;
  /** Possible locations of the file; the first existing one is used. */
  sources: (home: string, env: Environment) => (string | undefined)[];
  /** Keys that are passed on; others may be secrets or user folders. */
  keys: RegExp;
};

const NPM: Kind = {
  variable: 'NPM_CONFIG_USERCONFIG',
  name: 'npmrc',
  sources: (home, env) => [env['NPM_CONFIG_USERCONFIG'] ?? env['npm_config_userconfig'], join(home, '.npmrc')],
  keys: /^((@[^:]+:)?registry|proxy|https?-proxy|noproxy|cafile|ca(\[\])?|strict-ssl|fetch-.*|ignore-scripts|prefer-offline|(update-notifier|fund|audit))$/,
};

const UV: Kind = {
  variable: 'UV_CONFIG_FILE',
  name: 'uv.toml',
  sources: (home, env) => [
    env['UV_CONFIG_FILE'],
    join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'uv/uv.toml'),
    '/etc/uv/uv.toml',
  ],
  keys: /^(index-url|extra-index-url|index-strategy|name|url|default|explicit|native-tls|system-certs|allow-insecure-host|offline|python-preference|python-downloads|python-install-mirror|pypy-install-mirror|find-links|no-index)$/,
};

const PIP: Kind = {
  variable: 'PIP_CONFIG_FILE',
  name: 'pip.conf',
  sources: (home, env) => [
    env['PIP_CONFIG_FILE'],
    join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'pip/pip.conf'),
    join(home, '.pip/pip.conf'),
    join(home, 'Library/Application Support/pip/pip.conf'),
    '/etc/pip.conf',
  ],
  keys: /^(index-url|extra-index-url|trusted-host|cert|proxy|timeout|retries|find-links|no-index|only-binary|prefer-binary)$/,
};

const KINDS: Readonly<Record<string, Kind>> = { npx: NPM, npm: NPM, pnpm: NPM, uvx: UV, uv: UV, pipx: PIP };

/** Package managers read certificates from these keys. */
const CERTIFICATE_KEY = /^(cafile|cert)$/;

/**
 * What a sandboxed launcher needs of the user's settings: the home folder is hidden, and many companies require their
 * own registry, proxy and certificates for downloads. Undefined if there is nothing to pass.
 */
export function launcherSettings(
  launcher: string | undefined,
  home: string,
  env: Environment,
  read: (path: string) => string | undefined = readIfThere,
): LauncherSettings | undefined {
  const kind = launcher === undefined ? undefined : KINDS[launcher];
  if (kind === undefined) return undefined;
  for (const source of kind.sources(home, env)) {
    const text = source === undefined ? undefined : read(source);
    if (source !== undefined && text !== undefined) return { ...filterSettings(text, kind), source };
  }
  return undefined;
}

function filterSettings(text: string, { variable, name, keys }: Kind): Omit<LauncherSettings, 'source'> {
  const kept: string[] = [];
  const certificates: string[] = [];
  const withheld = new Set<string>();
  // The key of a value over several lines, as pip and TOML allow.
  let key = '';
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*($|[#;])/.test(line)) continue;
    if (/^\[/.test(line)) {
      key = '';
      kept.push(line);
      continue;
    }
    const [, named, value = ''] = /^([^\s=\]"',]+)\s*[=:]\s*(.*)$/.exec(line.replace(/^(@[^:=]+):/, '$1\0')) ?? [];
    if (named !== undefined) key = named.replace('\0', ':');
    if (!keys.test(key)) continue;
    if (mentionsCredentials(line)) {
      withheld.add(key);
      continue;
    }
    const path = value.trim().replace(/^["']|["']$/g, '');
    if (CERTIFICATE_KEY.test(key) && isAbsolute(path)) certificates.push(path);
    kept.push(line);
  }
  return { variable, name, text: `${kept.join('\n')}\n`, certificates, withheld: [...withheld] };
}

/** Checks every URL of the line; TOML allows several. */
function mentionsCredentials(line: string): boolean {
  return (line.match(/[a-z][a-z0-9+.-]*:\/\/[^\s"',]+/gi) ?? []).some(hasCredentials);
}
