import { posix } from 'node:path';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { SandboxSettings } from '../../host/sandbox-settings.ts';

/** A path inside the sandbox, and the file or folder it shows (links resolved). */
export type Mount = { path: string; source: string };

/** What one sandboxed process sees, in the order in which it is mounted. Each system turns it into its own form. */
export type SandboxProfile = {
  /** Of the system: programs, libraries, certificates. */
  system: Mount[];
  /** Empty folders over what lies inside a mounted folder and must not be seen. */
  hidden: string[];
  /** Interpreter, command and certificate files, outside the folders of the system. */
  programs: Mount[];
  read: Mount[];
  /** The working folder and the folders that were approved. */
  write: Mount[];
  /** The data folder and the like, where they lie inside an approved folder. */
  hiddenInside: string[];
  /** The private home folder of this server. */
  home: string;
  temp: string;
  cwd: string;
  env: Record<string, string>;
  network: 'on' | 'off' | 'hosts';
  /** The server starts a browser. */
  browser: boolean;
};

/** What has to be known of the machine. */
export type SandboxFacts = {
  /** The home folder of the user. */
  home: string;
  /** Never shown: the data folder, and the folder with the private home folders of all servers. */
  dataFolders: readonly string[];
  /** The private home folder of this server, which is there. */
  privateHome: string;
  temp: string;
  system: readonly Mount[];
  programs: readonly Mount[];
  /** Files that Toolyard wrote for this server, beside its private home folder. */
  own: readonly Mount[];
  /** The environment a server without a sandbox would get. */
  env: Readonly<Record<string, string>>;
  /** The same path with links resolved; undefined where there is nothing. */
  resolve(path: string): { path: string; isFolder: boolean } | undefined;
  /** The links that a path leads over, where they lie. */
  linksOn(path: string): string[];
};

export type SandboxedEntry = { serverId: string; settings: SandboxSettings; cwd?: string | undefined };

/** Folders that lead out of every sandbox: processes, devices, sockets of services. */
const NEVER = ['/proc', '/sys', '/dev', '/run', '/var/run'];

/**
 * Plans the sandbox of one stdio server.
 *
 * @throws ToolyardError `bad_config` for a folder that is missing or must not be shown: nothing is started then
 */
export function planSandbox({ serverId, settings, cwd }: SandboxedEntry, facts: SandboxFacts): SandboxProfile {
  const { privateHome, temp, home, dataFolders } = facts;
  const foreign = facts.programs.filter(({ source }) => problemWith(source, dataFolders) === null);
  const programs = [...foreign, ...facts.own];
  const mount = (path: string, key: string, wantsFolder: boolean): Mount => {
    const given = expandHome(path, home);
    const where = `The server "${serverId}" is not started: "${key}" names ${JSON.stringify(path)}`;
    if (!posix.isAbsolute(given)) throw bad(`${where}, which is not an absolute path.`);
    // Behind a link, ".." is another folder to the system than to who reads it.
    if (given.split('/').includes('..')) throw bad(`${where}, which contains "..".`, 'Write the path itself.');
    const found = facts.resolve(given);
    if (found === undefined)
      throw bad(`${where}, which does not exist.`, `Create it, or correct "${key}" of the server.`);
    if (wantsFolder && !found.isFolder) throw bad(`${where}, which is not a folder.`);
    const problem = problemWith(found.path, dataFolders);
    if (problem !== null) throw bad(`${where}, ${problem}.`);
    return { path: posix.normalize(given).replace(/(?<=.)\/+$/, ''), source: found.path };
  };
  const read = (settings.read ?? []).map((path) => mount(path, 'sandbox.read', false));
  const approved = (settings.write ?? []).map((path) => mount(path, 'sandbox.write', false));
  const working = cwd === undefined ? [] : [mount(cwd, 'cwd', true)];
  const write = [...working, ...approved];
  for (const { path, source } of working) {
    const isApproved = approved.some((mount) => isInside(source, mount.source));
    if (!isInside(home, source) || isApproved) continue;
    throw bad(
      `The server "${serverId}" is not started: "cwd" names ${JSON.stringify(path)}, which contains your home folder.`,
      'Name the folder that the server works in, or allow this one in "sandbox.write".',
    );
  }
  for (const { path, source } of [...read, ...write]) {
    const moved = facts.linksOn(path).find((link) => write.some((own) => canRedirect(link, source, own.source)));
    if (moved === undefined) continue;
    throw bad(
      `The server "${serverId}" is not started: ${JSON.stringify(path)} leads over the link ${JSON.stringify(moved)}, which the server itself can change, to ${JSON.stringify(source)}.`,
      'If that is meant, allow the folder it leads to by its own path.',
    );
  }
  // What lies in a folder that the server may change is seen there: mounted once more, it could be swapped meanwhile.
  const isMounted = (mount: Mount): boolean => !write.some((other) => contains(other, mount));
  const mounts = { read: read.filter(isMounted), write: write.filter(isMounted) };
  const network = settings.network ?? 'on';
  return {
    system: [...facts.system],
    hidden: within([home, ...dataFolders], [...facts.system, ...programs]),
    programs,
    ...mounts,
    hiddenInside: within(dataFolders, [...mounts.read, ...mounts.write]),
    home: privateHome,
    temp,
    cwd: working[0]?.path ?? temp,
    env: privateEnvironment(facts, settings),
    network: Array.isArray(network) ? 'hosts' : network,
    browser: settings.profile === 'browser',
  };
}

/** Whether one mount shows the other, under the same path. */
function contains(outer: Mount, inner: Mount): boolean {
  const isBelow = inner.source !== outer.source && isInside(inner.source, outer.source);
  return isBelow && inner.path === outer.path + inner.source.slice(outer.source.length);
}

/** Whether a link, which lies in a folder that the server may change, leads out of that folder. */
function canRedirect(link: string, target: string, writable: string): boolean {
  return isInside(link, writable) && !isInside(target, writable);
}

/** Where these folders would be seen through the mounts, also under the name of a link to a folder around them. */
function within(folders: readonly string[], mounts: readonly Mount[]): string[] {
  const paths = mounts.flatMap(({ path, source }) =>
    folders
      .filter((folder) => isInside(folder, source))
      .flatMap((folder) => [folder, path + folder.slice(source.length)]),
  );
  return [...new Set(paths)];
}

function privateEnvironment({ env, privateHome, temp }: SandboxFacts, { network }: SandboxSettings) {
  const kept = Object.entries(env).filter(
    ([name]) =>
      !/^XDG_|^(DBUS_|SSH_AUTH_SOCK|WAYLAND_DISPLAY|DISPLAY|DOCKER_HOST)/.test(name) && !isProxy(name, network),
  );
  return {
    ...Object.fromEntries(kept),
    HOME: privateHome,
    TMPDIR: temp,
    XDG_CACHE_HOME: `${privateHome}/.cache`,
    XDG_CONFIG_HOME: `${privateHome}/.config`,
    XDG_DATA_HOME: `${privateHome}/.local/share`,
    XDG_STATE_HOME: `${privateHome}/.local/state`,
  };
}

/** Where hosts are limited, the only proxy is ours. */
function isProxy(name: string, network: SandboxSettings['network']): boolean {
  return Array.isArray(network) && /^(https?|all|no)_proxy$/i.test(name);
}

function problemWith(path: string, dataFolders: readonly string[]): string | null {
  if (path === '/') return 'which is the whole file system';
  if (NEVER.some((folder) => isInside(path, folder))) return 'which leads out of the sandbox';
  if (/(^|\/)docker\.sock$/.test(path)) return 'which gives control over all containers';
  if (dataFolders.some((folder) => isInside(path, folder))) return 'which belongs to Toolyard itself';
  return null;
}

/** True for the folder itself, too. */
export function isInside(path: string, folder: string): boolean {
  const prefix = folder.endsWith('/') ? folder : `${folder}/`;
  return path === folder || path.startsWith(prefix);
}

/** Whether the server can read, or change, what is at this path. */
export function isVisible(profile: SandboxProfile, path: string, access: 'read' | 'write'): boolean {
  const { write, read, system, programs, home } = profile;
  // Not the temporary folder: what lies there outside is not what the server has there.
  const folders = [...write.map((mount) => mount.path), home, '/proc', '/dev'];
  const readable = access === 'read' ? [...read, ...system, ...programs].map((mount) => mount.path) : [];
  return [...folders, ...readable].some((folder) => isInside(path, folder));
}

export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? home + path.slice(1) : path;
}

function bad(message: string, hint?: string): ToolyardError {
  return new ToolyardError({ code: 'bad_config', message, ...defined({ hint }) });
}
