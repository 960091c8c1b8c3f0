import type { Memory } from '@toolyard/protocol';
import type { StoredMemory } from '@toolyard/storage';
import { notFound } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';

/** What models remembered for the user. */
export function addMemoryRoutes({ route }: Router, { storage, hub, clock }: HttpAppOptions): void {
  const { memories } = storage;

  route('GET /api/memories', async ({ principal }) => ({ items: (await memories.list(principal)).map(toView) }));

  route('PATCH /api/memories/{id}', async ({ principal, params: { id }, body: { text } }) => {
    const isChanged = await memories.update(principal, id, text.trim(), clock.now());
    const changed = isChanged && (await memories.list(principal)).find((each) => each.id === id);
    if (!changed) throw notFound('memory', id);
    hub.changed(principal.ownerId, 'memories');
    return toView(changed);
  });

  route('DELETE /api/memories/{id}', async ({ principal, params: { id } }) => {
    if (!(await memories.remove(principal, id))) throw notFound('memory', id);
    hub.changed(principal.ownerId, 'memories');
  });

  route('DELETE /api/memories', async ({ principal }) => {
    const deleted = await memories.removeAll(principal);
    hub.changed(principal.ownerId, 'memories');
    return { deleted };
  });
}

function toView({ id, text, source, conversationTitle, createdAt, updatedAt }: StoredMemory): Memory {
  return {
    id,
    text,
    source: source && {
      ...source,
      conversationTitle,
      // A call is numbered within its message.
      messageId: source.callId.replace(/\.\d+$/, ''),
    },
    createdAt,
    updatedAt,
  };
}
