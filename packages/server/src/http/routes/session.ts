import type { Principal, SessionView } from '@toolyard/protocol';
import { VERSION } from '@toolyard/protocol';
import { sessionView, signedIn, signIn } from '@toolyard/protocol/schemas';
import { jsonAnswer } from '../answers.ts';
import type { Auth } from '../auth/create-auth.ts';
import type { Router } from '../router.ts';
import { OPEN } from '../types.ts';

export function addSessionRoutes({ route }: Router, { authentication, sessions }: Auth): void {
  const { tokenRequired } = authentication;
  const view = ({ ownerId, via, scopes }: Principal): SessionView => ({
    ownerId,
    version: VERSION,
    tokenRequired,
    via,
    scopes: [...scopes],
  });

  route({
    method: 'get',
    path: '/api/session',
    summary: 'Who is signed in, and with which scopes',
    scope: 'any',
    answer: sessionView,
    handle: ({ principal }) => view(principal),
  });

  route({
    method: 'post',
    path: '/api/session',
    summary: 'Sign this browser in with the access token or the code of a sign-in link',
    open: true,
    body: signIn,
    answer: signedIn,
    async handle({ c, body }) {
      if (!tokenRequired) return { ...view(OPEN), secret: null };
      const { principal, cookie, secret } = await sessions.signIn(c.env.incoming, body);
      return jsonAnswer(
        { ...view(principal), secret },
        { status: 200, acceptEncoding: undefined, headers: { 'set-cookie': cookie } },
      );
    },
  });

  route({
    method: 'delete',
    path: '/api/session',
    summary: 'Sign this browser out',
    scope: 'any',
    handle: async ({ c, principal }) =>
      new Response(null, {
        status: 204,
        headers: { 'set-cookie': await sessions.signOut(c.env.incoming, principal) },
      }),
  });
}
