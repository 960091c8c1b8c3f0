import { posix } from 'node:path';
import type { SandboxSettings } from '../../config/sandbox-settings.ts';
import { createConfigError } from '../../values/config-error.ts';

/** A path inside the sandbox, and the file or folder mounted there (links resolved). */
export type Mount = { path: string; source: string };

/** The view of one sandboxed process, in mount order; independent of the operating system. */
export type SandboxProfile = {
  /** System files: programs, libraries, certificates. */
  system: Mount[];
  /** Empty folders over parts of mounted folders that must stay hidden. */
  hidden: string[];
  /** Interpreter, command and certificate files outside the system folders. */
  programs: Mount[];
  read: Mount[];
  /** The working folder and the approved folders. */
  write: Mount[];
  /** The data folder and similar ones, if they are inside an approved folder. */
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

/** Facts about the machine. */
export type SandboxEnvironment = {
  /** The home folder of the user. */
  home: string;
  /** Never mounted: the data folder, and the folder with the private home folders of all servers. */
  dataFolders: readonly string[];
  /** The existing private home folder of this server. */
  privateHome: string;
  temp: string;
  system: readonly Mount[];
  programs: readonly Mount[];
  /** Files that Toolyard wrote for this server, outside of its private home folder. */
  own: readonly Mount[];
  /** The environment of a server without a sandbox. */
  env: Readonly<Record<string, string>>;
  /** The path with links resolved; undefined if it does not exist. */
  resolve(path: string): { path: string; isFolder: boolean } | undefined;
  /** The links in a path, at their locations. */
  linksOn(path: string): string[];
  /** Folders that other servers may write, links resolved. */
  writtenByOthers?: readonly WrittenFolder[];
};

export type WrittenFolder = { serverId: string; source: string };

export type SandboxedEntry = {
  serverId: string;
  settings: SandboxSettings;
  cwd?: string | undefined;
  /** Where its folders led when they were approved. */
  leadsTo?: Readonly<Record<string, string>> | undefined;
};

/** Folders that lead out of any sandbox: processes, devices, sockets of services. */
const NEVER = ['/proc', '/sys', '/dev', '/run', '/var/run'];

/**
 * Plans the sandbox of one stdio server. The rule: **an approval is bound to the folder that was approved, not to its
 * name**. A path that leads elsewhere now, or over a link that a server can change, is not mounted.
 *
 * @throws ToolyardError `bad_config` for a folder that is missing or must stay hidden; the server is then not started
 */
export function planSandbox(
  { serverId, settings, cwd, leadsTo }: SandboxedEntry,
  environment: SandboxEnvironment,
): SandboxProfile {
  const { privateHome, temp, home, dataFolders } = environment;
  const foreign = environment.programs.filter(({ source }) => problemWith(source, dataFolders) === null);
  const programs = [...foreign, ...environment.own];
  const mount = (path: string, key: string, mustBeFolder: boolean): Mount => {
    const absolutePath = expandHome(path, home);
    const where = `The server "${serverId}" is not started: "${key}" names ${JSON.stringify(path)}`;
    if (!posix.isAbsolute(absolutePath)) throw createConfigError(`${where}, which is not an absolute path.`);
    // After a link, the system resolves ".." to another folder than a reader expects.
    if (absolutePath.split('/').includes('..'))
      throw createConfigError(`${where}, which contains "..".`, 'Use the path without "..".');
    const found = environment.resolve(absolutePath);
    if (found === undefined)
      throw createConfigError(`${where}, which does not exist.`, `Create it, or correct "${key}" of the server.`);
    if (mustBeFolder && !found.isFolder) throw createConfigError(`${where}, which is not a folder.`);
    const problem = problemWith(found.path, dataFolders);
    if (problem !== null) throw createConfigError(`${where}, ${problem}.`);
    const approvedAs = leadsTo?.[path];
    if (approvedAs !== undefined && approvedAs !== found.path) {
      throw createConfigError(
        `${where}, which led to ${JSON.stringify(approvedAs)} when it was approved and leads to ${JSON.stringify(found.path)} now.`,
        'If that is intended, save the settings of the server again.',
      );
    }
    return { path: posix.normalize(absolutePath).replace(/(?<=.)\/+$/, ''), source: found.path };
  };
  const read = (settings.read ?? []).map((path) => mount(path, 'sandbox.read', false));
  const approved = (settings.write ?? []).map((path) => mount(path, 'sandbox.write', false));
  const working = cwd === undefined ? [] : [mount(cwd, 'cwd', true)];
  const write = [...working, ...approved];
  for (const { path, source } of working) {
    const isApproved = approved.some((mount) => isInside(source, mount.source));
    if (!isInside(home, source) || isApproved) continue;
    throw createConfigError(
      `The server "${serverId}" is not started: "cwd" names ${JSON.stringify(path)}, which contains your home folder.`,
      'Use the folder the server works in, or allow this one in "sandbox.write".',
    );
  }
  const writable: WrittenFolder[] = [
    ...write.map((mount) => ({ serverId, source: mount.source })),
    ...(environment.writtenByOthers ?? []),
  ];
  for (const { path, source } of [...read, ...write]) {
    for (const link of environment.linksOn(path)) {
      const writer = writable.find((folder) => canRedirect(link, source, folder.source));
      if (writer === undefined) continue;
      const who = writer.serverId === serverId ? 'the server itself' : `the server "${writer.serverId}"`;
      throw createConfigError(
        `The server "${serverId}" is not started: ${JSON.stringify(path)} follows the link ${JSON.stringify(link)}, which ${who} can change, to ${JSON.stringify(source)}.`,
        'If that is intended, allow the target folder by its own path.',
      );
    }
  }
  // A path inside a writable folder is visible already; a second mount could be swapped.
  const isMounted = (mount: Mount): boolean => !write.some((other) => contains(other, mount));
  const mounts = { read: read.filter(isMounted), write: write.filter(isMounted) };
  const network = settings.network ?? 'on';
  return {
    system: [...environment.system],
    hidden: within([home, ...dataFolders], [...environment.system, ...programs]),
    programs,
    ...mounts,
    hiddenInside: within(dataFolders, [...mounts.read, ...mounts.write]),
    home: privateHome,
    temp,
    cwd: working[0]?.path ?? temp,
    env: privateEnvironment(environment, settings),
    network: Array.isArray(network) ? 'hosts' : network,
    browser: settings.profile === 'browser',
  };
}

/** Whether one mount shows the other under the same path. */
function contains(outer: Mount, inner: Mount): boolean {
  const isBelow = inner.source !== outer.source && isInside(inner.source, outer.source);
  return isBelow && inner.path === outer.path + inner.source.slice(outer.source.length);
}

/** Whether a link in a folder that a server may write leads out of that folder. */
function canRedirect(link: string, target: string, writable: string): boolean {
  return isInside(link, writable) && !isInside(target, writable);
}

/** Where these folders are visible through the mounts, including through a link to a parent folder. */
function within(folders: readonly string[], mounts: readonly Mount[]): string[] {
  const paths = mounts.flatMap(({ path, source }) =>
    folders
      .filter((folder) => isInside(folder, source))
      .flatMap((folder) => [folder, path + folder.slice(source.length)]),
  );
  return [...new Set(paths)];
}

function privateEnvironment({ env, privateHome, temp }: SandboxEnvironment, { network }: SandboxSettings) {
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

/** If hosts are limited, ours is the only proxy. */
function isProxy(name: string, network: SandboxSettings['network']): boolean {
  return Array.isArray(network) && /^(https?|all|no)_proxy$/i.test(name);
}

function problemWith(path: string, dataFolders: readonly string[]): string | null {
  if (path === '/') return 'which is the whole file system';
  if (leadsOut(path)) return 'which leads out of the sandbox';
  if (/(^|\/)docker\.sock$/.test(path)) return 'which gives control over all containers';
  if (dataFolders.some((folder) => isInside(path, folder))) return 'which belongs to Toolyard itself';
  return null;
}

/**
 * Whether a folder, links resolved, can never be given to a program or a model.
 *
 * @example
 * if (leadsOut('/proc')) console.log('cannot be a workspace');
 */
export function leadsOut(path: string): boolean {
  return NEVER.some((folder) => isInside(path, folder));
}

/** Also true for the folder itself. */
export function isInside(path: string, folder: string): boolean {
  const prefix = folder.endsWith('/') ? folder : `${folder}/`;
  return path === folder || path.startsWith(prefix);
}

/** Whether the server can read, or write, this path. */
export function isVisible(profile: SandboxProfile, path: string, access: 'read' | 'write'): boolean {
  const { write, read, system, programs, home } = profile;
  // Not the temporary folder: the server has one of its own.
  const folders = [...write.map((mount) => mount.path), home, '/proc', '/dev'];
  const readable = access === 'read' ? [...read, ...system, ...programs].map((mount) => mount.path) : [];
  return [...folders, ...readable].some((folder) => isInside(path, folder));
}

export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? home + path.slice(1) : path;
}
