import { createArtifactStore } from '../../built-in/artifacts/artifact-store.ts';
import { findConversation } from '../views/conversation-view.ts';
import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';

/** The documents that models created in conversations. */
export function addArtifactRoutes({ route }: Router, deps: HttpAppOptions): void {
  const artifacts = createArtifactStore(deps);

  route('GET /api/conversations/{id}/artifacts', async ({ principal, params: { id } }) => {
    const conversation = await findConversation(deps, principal, id);
    return { items: await artifacts.list(principal, conversation.id) };
  });
}
