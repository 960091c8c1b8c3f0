import type { IncomingMessage } from 'node:http';
import { readSignInResponse } from '@toolyard/mcp-host';
import { toErrorInfo } from '@toolyard/protocol';
import type { Router } from '../router.ts';
import { finishedPage, refusedPage, relayPage } from '../sign-in-page.ts';
import type { HttpAppOptions } from '../types.ts';

const CALLBACK = '/api/mcp/sign-in/callback';

/** Sign-in to MCP servers. */
export function addMcpSignInRoutes({ route }: Router, { servers, log }: HttpAppOptions): void {
  route('POST /api/mcp/servers/{id}/sign-in', ({ c, principal, params: { id } }) =>
    servers.signIn(principal, id, `${addressOf(c.env.incoming)}${CALLBACK}`),
  );

  route('DELETE /api/mcp/servers/{id}/sign-in', ({ principal, params: { id } }) => servers.signOut(principal, id));

  route('GET /api/mcp/sign-in/callback', async ({ c }) => {
    try {
      return finishedPage(await servers.finishSignIn(readSignInResponse(new URL(c.req.url).searchParams)));
    } catch (thrown) {
      const info = toErrorInfo(thrown);
      // The text of an unknown error may contain secrets.
      if (info.code === 'internal')
        log(`sign-in: could not be completed (${thrown instanceof Error ? thrown.name : '?'})`);
      return refusedPage(info);
    }
  });

  route('GET /api/mcp/sign-in/tab', () => relayPage());
}

/** The URL of this server in the browser; a reverse proxy may terminate TLS. */
function addressOf({ headers }: IncomingMessage): string {
  return headers.origin ?? `http://${headers.host ?? ''}`;
}
