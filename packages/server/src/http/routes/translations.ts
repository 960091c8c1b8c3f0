import { conversationTranslations } from '../views/conversation-translations.ts';
import { findConversation } from '../views/conversation-view.ts';
import { notFound } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';

/** Translations, stored beside their messages by the client that asked for them. */
export function addTranslationRoutes({ route }: Router, deps: HttpAppOptions): void {
  const { storage, hub, clock } = deps;

  route('GET /api/conversations/{id}/translations', async ({ principal, params: { id } }) => {
    await findConversation(deps, principal, id);
    return { items: await conversationTranslations(storage, principal, id) };
  });

  route(
    'PATCH /api/conversations/{id}/translations/{message}',
    async ({ principal, params: { id, message }, body }) => {
      await findConversation(deps, principal, id);
      if ((await storage.messages.get(principal, id, message)) === null) throw notFound('message', message);
      await storage.translations.change(principal, id, message, { ...body, at: clock.now() });
      hub.changed(principal.ownerId, 'translations', id);
    },
  );

  route('DELETE /api/conversations/{id}/translations/{message}', async ({ principal, params: { id, message } }) => {
    await findConversation(deps, principal, id);
    // Also succeeds without one, so that the request is idempotent.
    if (await storage.translations.remove(principal, id, message)) {
      hub.changed(principal.ownerId, 'translations', id);
    }
  });
}
