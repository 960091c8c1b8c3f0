import type { Principal, SessionView } from '@toolyard/protocol';
import { VERSION } from '@toolyard/protocol';
import { jsonAnswer } from '../responses.ts';
import type { Router } from '../transport/router.ts';
import type { RouteContext } from '../route-context.ts';
import { ANONYMOUS } from '../types.ts';

export function addSessionRoutes({ route }: Router, { auth: { authentication, sessions }, ui }: RouteContext): void {
  const { tokenRequired } = authentication;
  const view = ({ ownerId, via, scopes }: Principal): SessionView => ({
    ownerId,
    version: VERSION,
    tokenRequired,
    via,
    scopes: [...scopes],
  });

  route('GET /api/session', ({ principal }) => view(principal));

  route('GET /api/sign-in', () => ({ command: ui.signInCommand }));

  route('POST /api/session', async ({ c, body }) => {
    if (!tokenRequired) return { ...view(ANONYMOUS), secret: null };
    const { principal, cookie, secret } = await sessions.signIn(c.env.incoming, body);
    return jsonAnswer(
      { ...view(principal), secret },
      { status: 200, acceptEncoding: undefined, headers: { 'set-cookie': cookie } },
    );
  });

  route(
    'DELETE /api/session',
    async ({ c, principal }) =>
      new Response(null, {
        status: 204,
        headers: { 'set-cookie': await sessions.signOut(c.env.incoming, principal) },
      }),
  );
}
