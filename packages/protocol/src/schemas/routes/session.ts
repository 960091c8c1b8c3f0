import { sessionView, signedIn, signInBody } from '../access.ts';
import { defineRoutes } from './define-routes.ts';

export const sessionRoutes = defineRoutes({
  'GET /api/session': { summary: 'Get the signed-in user and the scopes', scope: 'any', answer: sessionView },
  'POST /api/session': {
    summary: 'Sign this browser in with the access token or the code of a sign-in link',
    open: true,
    body: signInBody,
    answer: signedIn,
  },
  'DELETE /api/session': { summary: 'Sign this browser out', scope: 'any' },
});
