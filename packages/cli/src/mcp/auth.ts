import { defined } from '@toolyard/protocol';
import { EXIT } from '../exit.ts';
import type { McpContext, McpFlags } from './mcp-source.ts';
import { printNote, printLine, printJson } from '../output.ts';
import { openInBrowser } from './sign-in-window.ts';

export type AuthFlags = McpFlags & {
  /** False with `--no-open`: only print the URL. */
  open: boolean;
  /** Port of the redirect URL if no Toolyard server is running. */
  port: number;
  signOut?: boolean;
};

/** `toolyard mcp auth`: signs in to a server, or out. */
export async function signInTo({ io, source, signal }: McpContext, id: string, flags: AuthFlags): Promise<number> {
  if (flags.signOut === true) {
    await source.api.delete('/api/mcp/servers/{id}/sign-in', { params: { id } });
    if (flags.json === true) printJson(io, { server: id, signedIn: false });
    else printLine(io, `Signed out of ${id}.`);
    return EXIT.done;
  }
  const { url, issuer, finished } = await source.signIn(id, { port: flags.port, signal });
  const isOpened = flags.open && openInBrowser(url, io.env);
  printNote(io, `Sign in at ${issuer}${isOpened ? ', in the browser that opens, or at' : ':'}`);
  // On its own line, so that users and programs can copy it.
  io.stderr.write(`${printable(url)}\n`);
  const server = await finished;
  if (flags.json === true) {
    printJson(io, { server: id, signedIn: true, state: server.state, ...defined({ error: server.error }) });
  } else printLine(io, `Signed in to ${id}; it is ${server.state}.`);
  return server.state === 'failed' || server.state === 'needs_sign_in' ? EXIT.failed : EXIT.done;
}

/** Serialized URLs are ASCII, so they contain no control characters. */
function printable(url: string): string {
  return new URL(url).href;
}
