import { homedir } from 'node:os';
import type { McpBlockedAccess, McpIsolation } from '@toolyard/protocol';
import { withTemplates, say } from '@toolyard/protocol';
import type { ResourceLimits } from '../host/resource-limits.ts';
import { findLauncher } from '../connection/launcher.ts';
import type { TransportContext } from '../transports/transport.ts';
import { childEnvironment } from './launch/child-environment.ts';
import { findCommand } from './launch/find-command.ts';
import { proposedPaths } from './sandbox/proposed-paths.ts';
import { blockedPath } from './sandbox/blocked-path.ts';
import { dockerIsolation } from './sandbox/docker-flags.ts';
import { resolvePath } from './sandbox/machine-files.ts';
import type { SandboxOptions, StdioConfig } from './sandbox/sandboxed-command.ts';
import { sandboxedCommand } from './sandbox/sandboxed-command.ts';
import { sandboxSupport } from './sandbox/support.ts';
import { createConfigError } from '../values/config-error.ts';

/** The process of a stdio server: its command, perhaps in a sandbox. */
export type StdioCommand = {
  command: string;
  args: readonly string[];
  env: Record<string, string>;
  cwd: string | undefined;
  /** What the sandbox reads from the file descriptor after standard error. */
  filter?: Buffer | undefined;
  /** Of a sandboxed process tree. */
  limits?: ResourceLimits;
  isolation(): McpIsolation;
  /** Checks a line of standard error for access that the sandbox denied. */
  readLine(line: string): void;
  end(): Promise<void>;
};

type Options = SandboxOptions & { onBlocked: () => void };

/** The most blocked targets kept per server. */
const BLOCKED_KEPT = 20;

/** @throws ToolyardError `bad_config` if the sandbox cannot be created as configured; the server is then not started */
export async function stdioCommand(
  config: StdioConfig,
  { serverId, log }: Pick<TransportContext, 'serverId' | 'log'>,
  { onBlocked, ...options }: Options,
): Promise<StdioCommand> {
  const inherited = childEnvironment(process.env);
  for (const name of inherited.withheld.filter((each) => config.env?.[each] === undefined)) {
    log(
      'warning',
      `${name} contains credentials and is not passed to the server. To pass it, add "${name}": "\${env:${name}}" to "env" of its entry.`,
    );
  }
  const env = { ...inherited.env, ...config.env };
  const { command, args = [], cwd, sandbox: settings } = config;
  const plain = (isolation: McpIsolation): StdioCommand => ({
    ...{ command, args, env, cwd },
    isolation: () => isolation,
    readLine: () => undefined,
    end: () => Promise.resolve(),
  });
  if (isDocker(config, env)) return plain(dockerIsolation({ args, env: config.env }));
  if (settings === undefined || settings === false) return plain({ kind: 'unsandboxed' });

  const support = await (options.support ?? sandboxSupport)();
  if (support.kind === 'none') {
    const { reason, hint } = support;
    // A server that does not start is better than a limit that is not enforced.
    if (settings.network !== undefined && settings.network !== 'on') {
      throw createConfigError(
        say`The server "${serverId}" is not started: its network is limited, but no sandbox is available. ${reason}`,
        hint,
      );
    }
    const isolation = withTemplates({ kind: 'unavailable', reason, hint });
    log('warning', `The server runs without a sandbox. ${isolation.reason} ${isolation.hint}`);
    return plain(isolation);
  }

  const blocked: McpBlockedAccess[] = [];
  const block = (access: McpBlockedAccess): void => {
    const isKnown = blocked.some(({ kind, target }) => kind === access.kind && target === access.target);
    if (isKnown || blocked.length >= BLOCKED_KEPT) return;
    blocked.push(access);
    log('warning', `The sandbox blocked ${access.kind === 'host' ? 'a connection to' : 'access to'} ${access.target}.`);
    onBlocked();
  };
  const onBlockedHost = (target: string): void => block({ kind: 'host', target });
  const warn = (text: string): void => log('warning', text);
  const sandboxed = await sandboxedCommand({ serverId, config, settings, env, options, support, onBlockedHost, warn });
  // The command does not exist: starting it fails with the error that says so.
  if (sandboxed === undefined) return plain({ kind: 'unsandboxed' });
  const { profile, ...rest } = sandboxed;
  const proposed = proposedPaths(args, profile, homedir());
  return {
    ...rest,
    isolation: () => ({ kind: 'sandboxed', network: profile.network, blocked: [...blocked], proposed }),
    readLine: (line) => {
      const target = blockedPath(line, profile, (path) => resolvePath(path) !== undefined);
      if (target !== undefined) block({ kind: 'path', target });
    },
  };
}

/** Whether this starts the Docker of this machine, which isolates the server, and not another program of that name. */
function isDocker(config: StdioConfig, env: Readonly<Record<string, string>>): boolean {
  if (findLauncher(config) !== 'docker') return false;
  if (process.platform === 'win32') return true;
  const docker = findCommand('docker', process.env['PATH']);
  return findCommand(config.command, env['PATH'], config.cwd) === docker;
}
