import type { CommandIo } from '../command-io.ts';
import type { ServerClient } from '../server/server-client.ts';
import { openInBrowser } from './open-in-browser.ts';

export type OpenFlags = {
  /** False with `--no-browser`: only print the link. */
  browser: boolean;
};

/** `toolyard open`: prints a link that signs a browser in, and opens it. */
export async function openCommand(io: CommandIo, client: ServerClient, { browser }: OpenFlags): Promise<void> {
  const { tokenRequired } = await client.get('/api/session');
  const path = tokenRequired ? (await client.post('/api/access/links')).path : '/';
  const link = `${client.url}${path}`;
  io.stdout.write(`${link}\n`);
  if (tokenRequired) io.stderr.write('toolyard: the link is valid once, for 10 minutes.\n');
  if (browser) openInBrowser(io, link);
}
