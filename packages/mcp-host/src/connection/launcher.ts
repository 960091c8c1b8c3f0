import type { TransportConfig } from '../types.ts';

/** Commands that download the server before they run it. */
export const LAUNCHERS = ['npx', 'uvx', 'pipx', 'bunx', 'deno', 'docker'] as const;

const LAUNCHER = programs(LAUNCHERS);

/** Package managers that do so with one of these subcommands only. */
const SUBCOMMANDS: Readonly<Record<string, RegExp>> = {
  uv: /^(run|tool run)( |$)/,
  bun: /^x( |$)/,
  npm: /^(exec|x)( |$)/,
  pnpm: /^dlx( |$)/,
  yarn: /^dlx( |$)/,
};
const MANAGER = programs(Object.keys(SUBCOMMANDS));

/** Options before the subcommand that take a value, as in `uv --directory /srv run server.py`. */
const WITH_VALUE =
  /^(--(directory|project|config-file|cache-dir|python|index|default-index|cwd|dir|package|prefix)|-[Cp])$/;

/** Connect timeout while a launcher may be downloading, in milliseconds. */
const LAUNCHER_TIMEOUT_MS = 5 * 60_000;
const DEFAULT_TIMEOUT_MS = 30_000;

/** The launcher of this server, by the name of its command; undefined for other commands. */
export function findLauncher(transport: TransportConfig): string | undefined {
  if (transport.type !== 'stdio') return undefined;
  const { command, args = [] } = transport;
  // On Windows many configurations use the shell: `cmd /c npx …`.
  const isShell = /^cmd(\.exe)?$/i.test(command) && args[0]?.toLowerCase() === '/c';
  const [invocation = '', ...rest] = isShell ? args.slice(1) : [command, ...args];
  const launcher = LAUNCHER.exec(invocation)?.[1]?.toLowerCase();
  if (launcher !== undefined) return launcher;
  const manager = MANAGER.exec(invocation)?.[1]?.toLowerCase();
  return manager !== undefined && SUBCOMMANDS[manager]?.test(positionalArgs(rest)) === true ? manager : undefined;
}

/** The default connect timeout of this server, in milliseconds. */
export function defaultConnectTimeout(transport: TransportConfig): number {
  return findLauncher(transport) === undefined ? DEFAULT_TIMEOUT_MS : LAUNCHER_TIMEOUT_MS;
}

function programs(names: readonly string[]): RegExp {
  return new RegExp(`(?:^|[\\\\/])(${names.join('|')})(?:\\.exe|\\.cmd)?$`, 'i');
}

/** The first two arguments that are neither options nor option values. */
function positionalArgs(args: readonly string[]): string {
  const positional = args.filter((arg, at) => !arg.startsWith('-') && !WITH_VALUE.test(args[at - 1] ?? ''));
  return positional.slice(0, 2).join(' ');
}
