import type { Draft, Principal, SaveDraft } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
import { saveDraftBody } from '@toolyard/protocol/schemas';
import { mediaToBlobs } from '@toolyard/storage';
import { findConversation } from '../views/conversation-view.ts';
import { refusal } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';
import { checkParts } from '../chat-calls/user-parts.ts';

/** Stands for a chat that has no id yet. */
const NEW_CHAT = 'new';
const MAX_LENGTH = 4_000_000;

const EMPTY: SaveDraft = { text: '', attachments: [] };

/** The messages being written, which all tabs and devices of a user share. */
export function addDraftRoutes({ route }: Router, deps: HttpAppOptions): void {
  const { storage, hub, clock } = deps;

  route('GET /api/drafts/{id}', async ({ principal, params: { id } }): Promise<Draft> => {
    const stored = await storage.drafts.get(principal, await getConversationId(principal, id));
    // A draft of another version is not shown.
    const parsed = saveDraftBody.safeParse(stored?.draft);
    return { ...(parsed.success ? parsed.data : EMPTY), updatedAt: parsed.success ? (stored?.updatedAt ?? 0) : 0 };
  });

  route('PUT /api/drafts/{id}', async ({ principal, params: { id }, body }): Promise<Draft> => {
    const conversationId = await getConversationId(principal, id);
    if (JSON.stringify(body).length > MAX_LENGTH) {
      throw refusal({
        code: 'too_large',
        message: say`The draft exceeds the limit of ${MAX_LENGTH} characters.`,
        hint: 'Upload large files with POST /api/files.',
      });
    }
    const at = clock.now();
    for (const { parts } of body.attachments) {
      if (parts.length > 0) await checkParts(parts, async (sha256) => storage.blobs.touch(principal, sha256, at));
    }
    if (isEmpty(body)) {
      if (await storage.drafts.remove(principal, conversationId)) hub.changed(principal.ownerId, 'drafts', id);
      return { ...EMPTY, updatedAt: 0 };
    }
    const draft = await mediaToBlobs(body, async (bytes, mimeType) =>
      storage.blobs.put(principal, bytes, { mimeType, at }),
    );
    await storage.drafts.set(principal, conversationId, draft, at);
    hub.changed(principal.ownerId, 'drafts', id);
    return { ...draft, updatedAt: at };
  });

  async function getConversationId(principal: Principal, id: string): Promise<string | null> {
    if (id === NEW_CHAT) return null;
    return (await findConversation(deps, principal, id)).id;
  }
}

function isEmpty({ text, attachments, mention, removed = [] }: SaveDraft): boolean {
  return text === '' && attachments.length === 0 && mention === undefined && removed.length === 0;
}
