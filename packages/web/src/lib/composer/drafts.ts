import { api } from '../api/client.ts';
import type { PreparedFile } from './attachments.ts';
import { openDraftStorage } from './draft-storage.ts';
import { Draft } from './draft.svelte.ts';

const drafts = new Map<string, Draft>();
const storage = openDraftStorage();

/**
 * The draft of a conversation, null being the one not made yet. It is the same as long as the page is open, so that a
 * file goes on being read while one looks at another conversation.
 */
export function draftOf(conversationId: string | null): Draft {
  const key = conversationId ?? 'new';
  const known = drafts.get(key);
  if (known !== undefined) return known;
  const draft = new Draft(key, { storage, prepare });
  drafts.set(key, draft);
  return draft;
}

/** What reads files is loaded with the first of them; where it cannot be had, the file can be tried again. */
async function prepare(file: File): Promise<PreparedFile> {
  try {
    const [{ prepareFile }, { convertImage }] = await Promise.all([
      import('./prepare-file.ts'),
      import('./convert-image.ts'),
    ]);
    return await prepareFile(file, { upload: api.upload, convertImage });
  } catch {
    return { ok: false, problem: 'upload_failed' };
  }
}
