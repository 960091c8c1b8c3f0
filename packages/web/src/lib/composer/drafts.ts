import { api } from '../api/client.ts';
import type { PreparedFile } from './attachments.ts';
import { openDraftStorage } from './draft-storage.ts';
import { ComposerDraft } from './draft.svelte.ts';

/** The key of the conversation that is not made yet. */
const NEW = 'new';

const drafts = new Map<string, ComposerDraft>();
const storage = openDraftStorage();

/**
 * The draft of a conversation, null being the one not made yet. It is the same as long as the page is open, so that a
 * file goes on being read while one looks at another conversation.
 */
export function composerDraftOf(conversationId: string | null): ComposerDraft {
  const key = conversationId ?? NEW;
  const known = drafts.get(key);
  if (known !== undefined) return known;
  const draft = new ComposerDraft(key, { storage, prepare });
  drafts.set(key, draft);
  return draft;
}

/** The new chat has become this conversation: whatever was written since its first message was sent goes along. */
export function moveNewDraftTo(conversationId: string): void {
  const draft = drafts.get(NEW);
  if (draft === undefined || drafts.has(conversationId)) return;
  drafts.delete(NEW);
  drafts.set(conversationId, draft);
  draft.rename(conversationId);
}

/** What reads files is loaded with the first of them; where it cannot be had, the file can be tried again. */
async function prepare(file: File): Promise<PreparedFile> {
  try {
    const [{ prepareFile }, { convertImage }] = await Promise.all([
      import('./prepare-file.ts'),
      import('./convert-image.ts'),
    ]);
    return await prepareFile(file, { upload: (content) => api.upload('/api/files', content), convertImage });
  } catch {
    return { ok: false, problem: 'upload_failed' };
  }
}
