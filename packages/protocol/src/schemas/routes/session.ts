import { sessionView, signedIn, signInBody, signInHelp } from '../access.ts';
import { defineRoutes } from './define-routes.ts';

export const sessionRoutes = defineRoutes({
  'GET /api/session': { summary: 'Get the signed-in user and the scopes', scope: 'any', answer: sessionView },
  'POST /api/session': {
    summary: 'Sign this browser in with the access token or the code of a sign-in link',
    open: true,
    body: signInBody,
    answer: signedIn,
  },
  'GET /api/sign-in': {
    summary: 'Get the command that prints a sign-in link on the machine of the server',
    open: true,
    answer: signInHelp,
  },
  'DELETE /api/session': { summary: 'Sign this browser out', scope: 'any' },
});
