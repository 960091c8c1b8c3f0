import type { Principal, SessionView } from '@toolyard/protocol';
import { VERSION } from '@toolyard/protocol';
import { jsonAnswer } from '../answers.ts';
import type { Router } from '../router.ts';
import { sessionView, signIn } from '../schemas/operations.ts';
import type { Sessions } from '../sessions.ts';

export function addSessionRoutes({ route }: Router, sessions: Sessions): void {
  const view = ({ ownerId }: Principal): SessionView => ({
    ownerId,
    version: VERSION,
    tokenRequired: sessions.tokenRequired,
  });

  route({
    method: 'get',
    path: '/api/session',
    summary: 'Who is signed in',
    answer: sessionView,
    handle: ({ principal }) => view(principal),
  });

  route({
    method: 'post',
    path: '/api/session',
    summary: 'Exchange a token for a cookie',
    open: true,
    body: signIn,
    answer: sessionView,
    async handle({ c, body: { token } }) {
      const { principal, cookie } = await sessions.signIn(c.env.incoming, token);
      return jsonAnswer(view(principal), {
        status: 200,
        acceptEncoding: undefined,
        headers: cookie === null ? {} : { 'set-cookie': cookie },
      });
    },
  });

  route({
    method: 'delete',
    path: '/api/session',
    summary: 'Sign this browser out',
    handle: ({ c }) => new Response(null, { status: 204, headers: { 'set-cookie': sessions.signOut(c.env.incoming) } }),
  });
}
