import { z } from 'zod';
import { mcpServerView, mcpSignInStarted } from '../mcp-servers.ts';
import { defineRoutes } from './define-routes.ts';

/** Longer is nothing a sign-in server sends. */
const word = z.string().max(8_000).exactOptional();
/** Sign-in servers send more than is asked for; what is not known is left alone. */
const callbackQuery = z.looseObject({ state: word, code: word, iss: word, error: word, error_description: word });

export const mcpSignInRoutes = defineRoutes({
  'POST /api/mcp/servers/{id}/sign-in': {
    summary: 'Where a person signs in to a server; they come back to this Toolyard, which connects it then',
    scope: 'servers',
    answer: mcpSignInStarted,
  },
  'DELETE /api/mcp/servers/{id}/sign-in': {
    summary: 'Forget the tokens of a server',
    scope: 'servers',
    answer: mcpServerView,
  },
  'GET /api/mcp/sign-in/callback': {
    summary: 'Where sign-in servers send people back to. The state proves whose sign-in it is: no session is needed',
    // They come from another site, with which a browser sends no cookie.
    open: true,
    query: callbackQuery,
    mediaType: 'text/html',
  },
  'GET /api/mcp/sign-in/tab': {
    summary: 'Where they send people back to who sign in to a server of their browser; its tab finishes that itself',
    open: true,
    query: callbackQuery,
    mediaType: 'text/html',
  },
});
