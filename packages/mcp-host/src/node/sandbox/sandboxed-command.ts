import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, homedir, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResourceLimits } from '../../host/resource-limits.ts';
import { resourceLimits } from '../../host/resource-limits.ts';
import type { SandboxSettings } from '../../config/sandbox-settings.ts';
import type { ServerConfig, TransportConfig } from '../../types.ts';
import { findCommand } from '../launch/find-command.ts';
import { browserFiles } from './browser-files.ts';
import { bubblewrapArguments } from './bubblewrap.ts';
import { startHostProxy } from './host-proxy.ts';
import { launcherFiles } from './launcher-files.ts';
import { certificateMounts, linksOn, programMounts, resolvePath, systemMounts } from './machine-files.ts';
import type { PrivateFolders } from './private-folders.ts';
import { defaultStateFolder, makePrivateFolder } from './private-folders.ts';
import type { SandboxProfile, WrittenFolder } from './profile.ts';
import { expandHome, planSandbox } from './profile.ts';
import { PROXY_PORT, RELAY, relayEnvironment } from './relay.ts';
import { seatbeltProfile } from './seatbelt.ts';
import { upstreamProxies } from './upstream-proxy.ts';
import { systemCallFilter } from './seccomp.ts';
import type { SandboxSupport } from './support.ts';

export type StdioConfig = Extract<TransportConfig, { type: 'stdio' }>;

export type SandboxOptions = PrivateFolders & {
  /** Never shown to a server: the data folder. */
  dataFolders?: readonly string[];
  /** Folders that Toolyard wrote for this process, which may read them; links are resolved. */
  own?: readonly string[];
  /** The configurations of all servers: what one of them may write, it can make lead elsewhere. */
  servers?: () => readonly ServerConfig[];
  /** The sandbox of the system; by default it is detected once. */
  support?: () => Promise<SandboxSupport>;
};

/** The process that is started for a server. */
export type SandboxedCommand = {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
  /** What the sandbox reads from the file descriptor after standard error. */
  filter: Buffer | undefined;
  profile: SandboxProfile;
  limits: ResourceLimits;
  /** Releases the resources of this process after it has exited. */
  end(): Promise<void>;
};

type Request = {
  serverId: string;
  config: StdioConfig;
  settings: SandboxSettings;
  /** The environment of the server without a sandbox. */
  env: Record<string, string>;
  options: SandboxOptions;
  support: Exclude<SandboxSupport, { kind: 'none' }>;
  onBlockedHost: (target: string) => void;
  /** Reports something the user should know before the server starts. */
  warn: (text: string) => void;
};

/**
 * Turns the command of a server into one that runs it in a sandbox; undefined if the command does not exist.
 *
 * @throws ToolyardError `bad_config` for a folder that is missing or must stay hidden
 */
export async function sandboxedCommand(request: Request): Promise<SandboxedCommand | undefined> {
  const { serverId, config, settings, env, options, support } = request;
  const command = findCommand(config.command, env['PATH'], config.cwd);
  if (command === undefined) return undefined;

  const home = homedir();
  const stateFolder = options.stateFolder ?? defaultStateFolder();
  const privateHome = makePrivateFolder(options, serverId, config);
  const isLinux = support.kind === 'bubblewrap';
  const needsRelay = isLinux && Array.isArray(settings.network);
  const extra = [launcherFiles(request, privateHome, home), browserFiles(settings, home)];
  const profile = planSandbox(
    { serverId, settings, cwd: config.cwd, leadsTo: config.leadsTo },
    {
      home,
      dataFolders: [...(options.dataFolders ?? []), stateFolder].map((folder) => resolvePath(folder)?.path ?? folder),
      privateHome,
      temp: isLinux ? '/tmp' : join(privateHome, 'tmp'),
      system: systemMounts(),
      programs: [
        ...programMounts(command, env['PATH'], home),
        ...(needsRelay ? programMounts(process.execPath, undefined, home) : []),
        ...extra.flatMap(({ mounts }) => mounts),
        // Only certificates of the machine: an entry could name any file or folder as a certificate.
        ...certificateMounts(process.env, home),
      ],
      own: [
        ...extra.flatMap(({ own }) => own),
        ...(options.own ?? []).map((folder) => ({ path: folder, source: folder })),
      ],
      env: { ...Object.fromEntries(extra.flatMap((one) => Object.entries(one.env))), ...env },
      resolve: resolvePath,
      linksOn,
      writtenByOthers: writableFolders(options.servers?.() ?? [], serverId, home),
    },
  );
  const way = Array.isArray(settings.network) ? await openOutgoingProxy(settings.network, request) : undefined;
  const proxied = { ...profile.env, ...(way === undefined ? {} : proxyVariables(way.port)) };
  const argv = [command, ...(config.args ?? [])];
  const limits = resourceLimits(settings.limits, availableParallelism());
  const rest = { env: proxied, cwd: '/', profile, limits, end: async () => way?.end() };
  if (support.kind === 'seatbelt') {
    mkdirSync(profile.temp, { recursive: true, mode: 0o700 });
    const args = ['-p', seatbeltProfile(profile, way?.port), ...limitedCommand(argv, limits)];
    return { ...rest, command: support.path, args, cwd: config.cwd ?? profile.temp, filter: undefined };
  }
  // The relay needs a unix socket, and so does a browser.
  const filter = systemCallFilter(profile.network === 'hosts' || profile.browser);
  const features = {
    filtered: filter !== undefined,
    disablesUserns: support.disablesUserns,
    isRoot: process.getuid?.() === 0,
    tempMb: Math.ceil(limits.memoryMb / 2),
  };
  const mounted = way === undefined ? profile : withSocket(profile, way.socket);
  const relayed = way === undefined ? rest : { ...rest, env: relayEnvironment(proxied) };
  const run = way === undefined ? argv : [process.execPath, '-e', RELAY, way.socket, ...argv];
  const { outside, inside } = splitEnvironment(relayed.env);
  const args = [...inside, ...bubblewrapArguments(mounted, features), ...limitedCommand(run, limits)];
  return { ...relayed, env: outside, command: support.path, args, filter };
}

/** What the dynamic linker reads before any code of a program: bubblewrap itself would load a library of the server. */
const OF_LINKER = /^(LD_|GLIBC_TUNABLES$|GCONV_PATH$)/;

/** The environment of bubblewrap, and arguments that set the rest inside of the sandbox only. */
function splitEnvironment(env: Readonly<Record<string, string>>): {
  outside: Record<string, string>;
  inside: string[];
} {
  const entries = Object.entries(env);
  return {
    outside: Object.fromEntries(entries.filter(([name]) => !OF_LINKER.test(name))),
    inside: entries.filter(([name]) => OF_LINKER.test(name)).flatMap(([name, value]) => ['--setenv', name, value]),
  };
}

/** POSIX gives the size of files in blocks of 512 bytes. */
const BLOCKS_PER_MB = 2_048;

/** Threads count too. */
const TASKS_PER_PROCESS = 16;

/**
 * The command with limits that the system itself enforces: the size of a file, no memory dumps, and how many processes and
 * threads there are, because a fork bomb is faster than the watcher. Inside the sandbox, because the shell reads the
 * environment of the server.
 */
function limitedCommand(argv: readonly string[], { fileMb, processes }: ResourceLimits): string[] {
  if (!existsSync('/bin/sh')) return [...argv];
  const blocks = Math.round(fileMb * BLOCKS_PER_MB);
  const tasks = Math.ceil(processes * TASKS_PER_PROCESS);
  const limits = [
    `ulimit -c 0 2>/dev/null`,
    `ulimit -f ${blocks} 2>/dev/null`,
    // bash and others have -u, dash has -p.
    ...(countsTasksBySandbox() ? [`ulimit -u ${tasks} 2>/dev/null || ulimit -p ${tasks} 2>/dev/null`] : []),
  ];
  return ['/bin/sh', '-c', `${limits.join('; ')}; exec "$0" "$@"`, ...argv];
}

/** Since Linux 5.14; before, and on macOS, `RLIMIT_NPROC` counts all processes of the user. It does not apply to root. */
function countsTasksBySandbox(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return process.platform === 'linux' && (major > 5 || (major === 5 && minor >= 14));
}

/** Folders that other sandboxed servers may write. One without a sandbox may write everything. */
function writableFolders(servers: readonly ServerConfig[], serverId: string, home: string): WrittenFolder[] {
  return servers.flatMap(({ id, transport }) => {
    if (id === serverId || transport.type !== 'stdio' || !transport.sandbox) return [];
    const paths = [...(transport.cwd === undefined ? [] : [transport.cwd]), ...(transport.sandbox.write ?? [])];
    return paths.flatMap((path) => {
      const found = resolvePath(expandHome(path, home));
      return found === undefined ? [] : [{ serverId: id, source: found.path }];
    });
  });
}

type OutgoingProxy = { socket: string; port: number; end(): Promise<void> };

/** The proxy of a server with limited hosts. */
async function openOutgoingProxy(
  hosts: readonly string[],
  { support, onBlockedHost }: Request,
): Promise<OutgoingProxy> {
  const upstream = upstreamProxies(process.env);
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-proxy-'));
  const socket = join(folder, 'proxy.sock');
  const at = support.kind === 'bubblewrap' ? socket : 0;
  const proxy = await startHostProxy({ at, hosts, upstream, onBlocked: onBlockedHost });
  return {
    socket,
    port: typeof at === 'string' ? PROXY_PORT : proxy.port,
    async end() {
      await proxy[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function withSocket(profile: SandboxProfile, socket: string): SandboxProfile {
  return { ...profile, read: [...profile.read, { path: socket, source: socket }] };
}

function proxyVariables(port: number): Record<string, string> {
  const url = `http://127.0.0.1:${port}`;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  return { ...Object.fromEntries(names.map((name) => [name, url])), NODE_USE_ENV_PROXY: '1' };
}
