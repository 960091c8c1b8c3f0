import { api } from '../api/client.ts';
import { prepareFile } from './attachments.ts';
import { convertImage } from './convert-image.ts';
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
  const draft = new Draft(key, { storage, prepare: (file) => prepareFile(file, { upload: api.upload, convertImage }) });
  drafts.set(key, draft);
  return draft;
}
