import type { IncomingMessage } from 'node:http';
import { readSignInResponse } from '@toolyard/mcp-host';
import { toErrorInfo } from '@toolyard/protocol';
import { mcpServerView, mcpSignInStarted } from '@toolyard/protocol/schemas';
import { z } from 'zod';
import type { Router } from '../router.ts';
import { finishedPage, refusedPage, relayPage } from '../sign-in-page.ts';
import type { HttpDeps } from '../types.ts';

const CALLBACK = '/api/mcp/sign-in/callback';

/** Longer is nothing a sign-in server sends. */
const word = z.string().max(8_000).exactOptional();

/** Sign-in servers send more than is asked for; what is not known is left alone. */
const callbackQuery = z.looseObject({ state: word, code: word, iss: word, error: word, error_description: word });

/** Signing in to MCP servers. */
export function addMcpSignInRoutes({ route }: Router, { servers, log }: HttpDeps): void {
  route({
    method: 'post',
    path: '/api/mcp/servers/{id}/sign-in',
    summary: 'Where a person signs in to a server; they come back to this Toolyard, which connects it then',
    scope: 'servers',
    answer: mcpSignInStarted,
    handle: ({ c, principal, params: { id } }) =>
      servers.signIn(principal, id, `${addressOf(c.env.incoming)}${CALLBACK}`),
  });

  route({
    method: 'delete',
    path: '/api/mcp/servers/{id}/sign-in',
    summary: 'Forget the tokens of a server',
    scope: 'servers',
    answer: mcpServerView,
    handle: ({ principal, params: { id } }) => servers.signOut(principal, id),
  });

  route({
    method: 'get',
    path: CALLBACK,
    summary: 'Where sign-in servers send people back to. The state proves whose sign-in it is: no session is needed',
    // They come from another site, with which a browser sends no cookie.
    open: true,
    query: callbackQuery,
    mediaType: 'text/html',
    async handle({ c }) {
      try {
        return finishedPage(await servers.finishSignIn(readSignInResponse(new URL(c.req.url).searchParams)));
      } catch (thrown) {
        const info = toErrorInfo(thrown);
        // The text of a foreign error may hold what it was about.
        if (info.code === 'internal')
          log(`A sign-in could not be finished (${thrown instanceof Error ? thrown.name : '?'}).`);
        return refusedPage(info);
      }
    },
  });

  route({
    method: 'get',
    path: '/api/mcp/sign-in/tab',
    summary: 'Where they send people back to who sign in to a server of their browser; its tab finishes that itself',
    open: true,
    query: callbackQuery,
    mediaType: 'text/html',
    handle: () => relayPage(),
  });
}

/** As the browser knows this server: what stands in front of it may speak TLS for it. */
function addressOf({ headers }: IncomingMessage): string {
  return headers.origin ?? `http://${headers.host ?? ''}`;
}
