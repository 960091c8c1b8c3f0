import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { CERTIFICATE_VARIABLES } from '../launch/child-environment.ts';
import { findCommand } from '../launch/find-command.ts';
import { linkIn, tryTo } from '../system-files.ts';
import type { Mount } from './profile.ts';
import { isInside } from './profile.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const SYSTEM_FOLDERS = ['/usr', '/opt', '/nix', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** What programs read in `/etc`; the rest contains passwords and keys of services. */
const ETC = [
  ...['passwd', 'group', 'nsswitch.conf', 'resolv.conf', 'hosts', 'host.conf', 'gai.conf', 'services', 'protocols'],
  ...[
    'ssl/certs',
    'ssl/openssl.cnf',
    'ssl/cert.pem',
    'ca-certificates',
    'ca-certificates.conf',
    'pki/ca-trust/extracted',
    'pki/tls/certs',
    'pki/tls/cert.pem',
    'pki/tls/openssl.cnf',
    'crypto-policies',
  ],
  ...['localtime', 'timezone', 'locale.conf', 'locale.alias', 'os-release', 'debian_version', 'mime.types', 'magic'],
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'fonts', 'chromium', 'java-17-openjdk', 'python3'],
].map((name) => `/etc/${name}`);

const OTHERS = ['/var/lib/ca-certificates', '/var/cache/fontconfig'];

/** Folders below the home folder where tools install programs, without secrets. */
const TOOL_FOLDERS = [
  ...[
    '.nvm/versions',
    '.volta',
    '.asdf',
    '.pyenv',
    '.bun/bin',
    '.deno/bin',
    '.cargo/bin',
    '.rbenv',
    '.sdkman/candidates',
  ],
  ...[
    '.local/share/mise',
    '.local/share/fnm',
    '.local/share/uv/python',
    '.local/share/uv/tools',
    '.local/share/pipx',
    '.local/pipx',
    '.local/share/pnpm',
  ],
];

/** The system files that a sandboxed program needs, where this machine has them. */
export function systemMounts(): Mount[] {
  return [...SYSTEM_FOLDERS, ...ETC, ...OTHERS].flatMap((path) => findMount(path) ?? []);
}

/** The command and its interpreters, wherever they are. */
export function programMounts(command: string, path: string | undefined, home: string): Mount[] {
  return listMounts(
    listInterpreters(command, path).flatMap((program) => programFolders(program, home)),
    home,
  );
}

/** The certificate files that these variables name, wherever they are. */
export function certificateMounts(env: Environment, home: string): Mount[] {
  return listMounts(
    CERTIFICATE_VARIABLES.flatMap((name) => (env[name] ?? '').split(delimiter)),
    home,
  );
}

function listMounts(paths: readonly string[], home: string): Mount[] {
  const seen = [...SYSTEM_FOLDERS, ...ETC, ...OTHERS];
  return (
    paths
      .filter((path) => isAbsolute(path) && !seen.some((folder) => isInside(path, folder)))
      // A home folder as a whole is never mounted, whatever a variable says.
      .filter((path, at, all) => !isInside(home, path) && all.indexOf(path) === at)
      .flatMap((path) => findMount(path) ?? [])
      .filter(({ source }) => !isInside(resolvePath(home)?.path ?? home, source))
  );
}

function findMount(path: string): Mount | undefined {
  const found = resolvePath(path);
  return found === undefined ? undefined : { path, source: found.path };
}

/** The path with links resolved; undefined if it does not exist. */
export function resolvePath(path: string): { path: string; isFolder: boolean } | undefined {
  return tryTo(() => {
    const real = realpathSync(path);
    return { path: real, isFolder: statSync(real).isDirectory() };
  }, undefined);
}

/** Where a path leads with links resolved, also if its last parts do not exist yet. */
export function leadsTo(path: string): string {
  const real = resolvePath(path)?.path;
  if (real !== undefined || dirname(path) === path) return real ?? path;
  return join(leadsTo(dirname(path)), basename(path));
}

/** The command, the interpreter in its `#!` line, and the interpreter of that. */
function listInterpreters(command: string, path: string | undefined): string[] {
  const found = [command];
  for (let depth = 0; depth < 3; depth++) {
    const next = interpreterIn(found.at(-1) ?? '', path);
    if (next === undefined || found.includes(next)) break;
    found.push(next);
  }
  return found;
}

function interpreterIn(file: string, path: string | undefined): string | undefined {
  const [, program = '', argument = ''] = /^#!\s*(\S+)[ \t]*([^\r\n]*)/.exec(readBeginning(file)) ?? [];
  if (program === '') return undefined;
  // Only executable files: the server may own the script, and could otherwise expose any file by naming it.
  if (basename(program) !== 'env') return findCommand(program, path);
  const name = argument.split(/\s+/).find((word) => word !== '' && !word.startsWith('-') && !word.includes('='));
  return name === undefined ? undefined : findCommand(name, path);
}

function readBeginning(file: string): string {
  return tryTo(() => {
    const handle = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(256);
      return bytes.toString('latin1', 0, readSync(handle, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(handle);
    }
  }, '');
}

/** The folder a program is installed in, because it rarely works as a single file. */
function programFolders(program: string, home: string): string[] {
  const real = resolvePath(program)?.path ?? program;
  const tool = TOOL_FOLDERS.map((name) => join(home, name)).filter((folder) =>
    [program, real].some((path) => isInside(path, folder)),
  );
  const bin = dirname(program);
  const prefix = dirname(bin);
  if (existsSync(join(prefix, 'pyvenv.cfg'))) return [...tool, prefix, ...baseOfVenv(join(prefix, 'pyvenv.cfg'))];
  const hasModules = basename(bin) === 'bin' && existsSync(join(prefix, 'lib', 'node_modules'));
  return [...tool, ...(hasModules ? [bin, join(prefix, 'lib')] : []), program, real];
}

/**
 * A virtual environment uses the library of the Python it was made with. The server may have written its `pyvenv.cfg`,
 * so the named program must be a Python, and nothing else next to it is mounted.
 */
function baseOfVenv(file: string): string[] {
  const [, named] = /^home\s*=\s*(\/.*?)\s*$/m.exec(readFileSync(file, 'utf8')) ?? [];
  const bin = named === undefined ? undefined : resolvePath(named)?.path;
  if (bin === undefined || basename(bin) !== 'bin' || findCommand(join(bin, 'python3'), undefined) === undefined)
    return [];
  const python = /^python3\.\d+$/;
  const libraries = ['lib', 'lib64'].map((name) => join(dirname(bin), name)).filter(existsSync);
  return libraries.some((folder) => readdirSync(folder).some((name) => python.test(name))) ? [bin, ...libraries] : [];
}

/** The links in a path, each at its location with earlier links resolved. */
export function linksOn(path: string): string[] {
  const found: string[] = [];
  let reached = '/';
  const rest = path.split('/');
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const next = join(reached, name);
    const target = linkIn(next);
    if (target === '') {
      reached = next;
      continue;
    }
    found.push(next);
    if (found.length > MAX_LINKS) break;
    if (isAbsolute(target)) reached = '/';
    rest.unshift(...target.split('/'));
  }
  return found;
}

/** The same limit as in Linux. */
const MAX_LINKS = 40;
