import { defined } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { EXIT } from '../exit.ts';
import type { McpFlags, McpSource } from './mcp-source.ts';
import { printNote, printLine, printJson } from './output.ts';
import { openInBrowser } from './sign-in-window.ts';

export type AuthFlags = McpFlags & {
  /** False only prints the address. */
  open: boolean;
  /** Where this command, alone, waits for the person. */
  port: number;
  /** Signs out. */
  out?: boolean;
};

/** Signs a person in to a server, or out of it. */
export async function signInTo(
  io: CommandIo,
  source: McpSource,
  { id, signal }: { id: string; signal: AbortSignal },
  flags: AuthFlags,
): Promise<number> {
  if (flags.out === true) {
    await source.signOut(id);
    if (flags.json === true) printJson(io, { server: id, signedIn: false });
    else printLine(io, `Signed out of ${id}.`);
    return EXIT.done;
  }
  const { url, issuer, finished } = await source.signIn(id, { port: flags.port, signal });
  const isShown = flags.open && openInBrowser(url, io.env);
  printNote(io, `Sign in at ${issuer}${isShown ? ', in the browser that opens, or at' : ':'}`);
  // Alone on its line, so that it can be copied, or read by a program.
  io.stderr.write(`${printable(url)}\n`);
  const server = await finished;
  if (flags.json === true) {
    printJson(io, { server: id, signedIn: true, state: server.state, ...defined({ error: server.error }) });
  } else printLine(io, `Signed in to ${id}; it is ${server.state}.`);
  return server.state === 'failed' || server.state === 'needs_sign_in' ? EXIT.failed : EXIT.done;
}

/** It has been checked to be a web address, whose letters are all of ASCII. */
function printable(url: string): string {
  return new URL(url).href;
}
