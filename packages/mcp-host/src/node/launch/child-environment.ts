import { posix, win32 } from 'node:path';
import { DEFAULT_INHERITED_ENV_VARS } from '@modelcontextprotocol/client/stdio';

type Environment = Readonly<Record<string, string | undefined>>;

/** URLs; one with a user name or password is withheld. */
const ADDRESSES = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
  'npm_config_registry',
  'NPM_CONFIG_REGISTRY',
  'UV_INDEX_URL',
  'UV_DEFAULT_INDEX',
  'PIP_INDEX_URL',
];

const PLAIN = [
  'NO_PROXY',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'LANG',
  'TZ',
  'TMPDIR',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
];

/** What a child process inherits in addition to the variables of the SDK and `LC_*`. */
export const INHERITED: readonly string[] = [...ADDRESSES, ...PLAIN];

/** Variables with paths of certificate files or folders. */
export const CERTIFICATE_VARIABLES: readonly string[] = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
];

export type ChildEnvironment = {
  env: Record<string, string>;
  /** Names of variables that are not passed on because their values contain credentials. */
  withheld: string[];
};

/**
 * The part of our environment that a stdio server inherits: what programs need for the network, package registries and
 * caches; no keys. Any other variable, or one whose value contains credentials, needs an entry in `env` of the server
 * (`"HTTPS_PROXY": "${env:HTTPS_PROXY}"`).
 *
 * @example
 * const { env } = childEnvironment(process.env);
 * console.log('OPENAI_API_KEY' in env); // false
 */
export function childEnvironment(own: Environment, platform: NodeJS.Platform = process.platform): ChildEnvironment {
  const names = [
    ...DEFAULT_INHERITED_ENV_VARS,
    ...PLAIN,
    ...ADDRESSES,
    ...Object.keys(own).filter((name) => /^LC_/.test(name)),
  ];
  const env: Record<string, string> = {};
  const withheld: string[] = [];
  for (const name of names) {
    const value = own[name];
    // Old shells export functions in this form, which made Shellshock possible.
    if (value === undefined || value.startsWith('()')) continue;
    if (ADDRESSES.includes(name) && hasCredentials(value)) withheld.push(name);
    else env[name] = name === 'PATH' ? userPath(value, own, platform) : value;
  }
  return { env, withheld };
}

/**
 * The proxy and registry variables that are set, for `toolyard doctor`. Credentials in values are hidden.
 *
 * @example
 * for (const { name, value } of networkSettings(process.env)) console.log(`${name}=${value}`);
 */
export function networkSettings(own: Environment): { name: string; value: string; hasCredentials: boolean }[] {
  return [...ADDRESSES, 'NO_PROXY', 'no_proxy'].flatMap((name) => {
    const value = own[name];
    if (value === undefined || value === '') return [];
    const shown = ADDRESSES.includes(name) ? value.replace(CREDENTIALS, '$1') : value;
    return [{ name, value: shown, hasCredentials: shown !== value }];
  });
}

const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)?[^/?#\s]*@/i;

/** Whether a URL contains a user name or a password. */
export function hasCredentials(value: string): boolean {
  return CREDENTIALS.test(value.trim());
}

/**
 * PATH without the folders that `npm run` and `npx` put before it: a server must find the user's Node and tools, not
 * those of this project.
 */
function userPath(path: string, own: Environment, platform: NodeJS.Platform): string {
  const isUnderNpm = own['npm_lifecycle_event'] !== undefined || own['npm_execpath'] !== undefined;
  if (!isUnderNpm) return path;
  const { delimiter } = platform === 'win32' ? win32 : posix;
  const folders = path.split(delimiter);
  const first = folders.findIndex((folder) => !NPM_FOLDER.test(folder));
  return first < 0 ? path : folders.slice(first).join(delimiter);
}

const NPM_FOLDER = /([\\/]node_modules[\\/]\.bin|[\\/]node-gyp-bin)[\\/]?$/;
