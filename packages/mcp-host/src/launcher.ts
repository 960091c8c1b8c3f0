import type { TransportConfig } from './types.ts';

/** Programs that download the server before they run it. */
export const LAUNCHERS = ['npx', 'uvx', 'pipx', 'bunx', 'deno', 'docker'] as const;

const LAUNCHER = new RegExp(`(?:^|[\\\\/])(${LAUNCHERS.join('|')})(?:\\.exe|\\.cmd)?$`, 'i');

/** How long a launcher that has not answered yet may download, in milliseconds. */
const LAUNCHER_TIMEOUT_MS = 5 * 60_000;
const DEFAULT_TIMEOUT_MS = 30_000;

/** The launcher that starts this server, by its name; undefined for any other command. */
export function launcherOf(transport: TransportConfig): string | undefined {
  if (transport.type !== 'stdio') return undefined;
  const { command, args = [] } = transport;
  // On Windows many configurations go through the shell: `cmd /c npx …`.
  const started = /^cmd(\.exe)?$/i.test(command) && args[0]?.toLowerCase() === '/c' ? (args[1] ?? '') : command;
  return LAUNCHER.exec(started)?.[1]?.toLowerCase();
}

/** How long connecting to this server may take where its configuration does not say, in milliseconds. */
export function defaultConnectTimeout(transport: TransportConfig): number {
  return launcherOf(transport) === undefined ? DEFAULT_TIMEOUT_MS : LAUNCHER_TIMEOUT_MS;
}
