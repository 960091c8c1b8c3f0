import { spawn } from 'node:child_process';

/**
 * Opens a URL in the user's browser, if there is one. Does not use a shell: the URL comes from a server and could contain
 * shell commands.
 *
 * @returns false if no browser was started
 */
export function openInBrowser(address: string, env: NodeJS.ProcessEnv, platform = process.platform): boolean {
  const command = browserCommand(address, env, platform);
  if (command === null) return false;
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: 'ignore', detached: true, shell: false });
  // If the program is missing, the user opens the printed URL.
  child.once('error', () => undefined);
  child.unref();
  return true;
}

/** The command that opens the URL; null for other schemes than http and https, and without a display. */
export function browserCommand(
  address: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): [string, ...string[]] | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null;
  if (env['SSH_CONNECTION'] !== undefined || env['CI'] !== undefined) return null;
  switch (platform) {
    case 'darwin':
      return ['open', url.href];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler', url.href];
    default:
      return env['DISPLAY'] === undefined && env['WAYLAND_DISPLAY'] === undefined ? null : ['xdg-open', url.href];
  }
}
