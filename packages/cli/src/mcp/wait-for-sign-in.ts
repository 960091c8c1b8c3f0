import type { McpServerView } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';

const POLL_MS = 500;
const TIMEOUT_MS = 20 * 60_000;

/**
 * Polls a running Toolyard server until the user has signed in to an MCP server.
 *
 * @throws ToolyardError if the sign-in fails, or takes longer than 20 minutes
 */
export async function waitForSignIn(
  readServer: () => Promise<McpServerView>,
  signal: AbortSignal,
): Promise<McpServerView> {
  const deadline = performance.now() + TIMEOUT_MS;
  let previous: McpServerView | undefined;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const server = await readServer();
    const { signIn, state } = server;
    if (signIn?.state === 'signed_in' && state !== 'needs_sign_in' && state !== 'connecting') return server;
    if (previous?.signIn?.state === 'signing_in' && signIn?.state === 'signed_out') {
      const warning = server.log.findLast(({ level }) => level === 'warning')?.text;
      throw new ToolyardError({
        code: 'needs_sign_in',
        message: warning ?? `The sign-in to "${server.id}" was not completed.`,
      });
    }
    previous = server;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new ToolyardError({
    code: 'timed_out',
    message: 'The sign-in was not completed within 20 minutes.',
    hint: 'Start it again.',
  });
}
