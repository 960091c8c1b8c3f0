import { z } from 'zod';
import { mcpServerView, mcpSignInStarted } from '../mcp-servers.ts';
import { defineRoutes } from './define-routes.ts';

/** Upper bound for a query parameter of the redirect; authorization servers send less. */
const word = z.string().max(8_000).exactOptional();
/** Authorization servers may add parameters; unknown ones are ignored. */
const callbackQuery = z.looseObject({ state: word, code: word, iss: word, error: word, error_description: word });

export const mcpSignInRoutes = defineRoutes({
  'POST /api/mcp/servers/{id}/sign-in': {
    summary: 'Start a sign-in to a server (OAuth); after the redirect back, the server connects',
    scope: 'servers',
    answer: mcpSignInStarted,
  },
  'DELETE /api/mcp/servers/{id}/sign-in': {
    summary: 'Delete the tokens of a server',
    scope: 'servers',
    answer: mcpServerView,
  },
  'GET /api/mcp/sign-in/callback': {
    summary:
      'Finish a sign-in: redirect target of authorization servers. The `state` identifies the sign-in, so no ' +
      'credential is needed',
    // The redirect comes from another site, so the browser does not send the session cookie.
    open: true,
    query: callbackQuery,
    mediaType: 'text/html',
  },
  'GET /api/mcp/sign-in/tab': {
    summary: 'Finish a sign-in to a server that connects from a browser tab: redirect target, completed by that tab',
    open: true,
    query: callbackQuery,
    mediaType: 'text/html',
  },
});
