import { spawn } from 'node:child_process';

/**
 * Shows an address in the browser of the person, if there is one. No shell sees it: whoever chose the address could
 * have written commands into it.
 *
 * @returns false where nothing was started
 */
export function openInBrowser(address: string, env: NodeJS.ProcessEnv, platform = process.platform): boolean {
  const command = browserCommand(address, env, platform);
  if (command === null) return false;
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: 'ignore', detached: true, shell: false });
  // Where there is no such program, the address stands on the terminal.
  child.once('error', () => undefined);
  child.unref();
  return true;
}

/** What is started for it; null for what is no web address, and where there is no screen. */
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
