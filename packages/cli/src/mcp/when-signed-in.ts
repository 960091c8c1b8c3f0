import type { McpServerView } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';

/** How often a running server is asked whether somebody has signed in, in milliseconds. */
const LOOK_MS = 500;
const PATIENCE_MS = 20 * 60_000;

/** Waits until somebody has signed in to a server of a running Toolyard. */
export async function whenSignedIn(look: () => Promise<McpServerView>, signal: AbortSignal): Promise<McpServerView> {
  const until = performance.now() + PATIENCE_MS;
  let before: McpServerView | undefined;
  while (performance.now() < until) {
    signal.throwIfAborted();
    const server = await look();
    const { signIn, state } = server;
    if (signIn?.state === 'signed_in' && state !== 'needs_sign_in' && state !== 'connecting') return server;
    if (before?.signIn?.state === 'signing_in' && signIn?.state === 'signed_out') {
      const said = server.log.findLast(({ level }) => level === 'warning')?.text;
      throw new ToolyardError({ code: 'needs_sign_in', message: said ?? `Nobody has signed in to "${server.id}".` });
    }
    before = server;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new ToolyardError({ code: 'timed_out', message: 'Nobody has signed in.', hint: 'Begin it again.' });
}
