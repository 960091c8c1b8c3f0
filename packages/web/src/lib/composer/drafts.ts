import { api } from '../api/client.ts';
import type { Attachment, PreparedFile } from './attachments.ts';
import { openDraftStorage } from './draft-storage.ts';
import { ComposerDraft } from './draft.svelte.ts';

/** The key of a conversation that has no id yet. */
const NEW = 'new';

const drafts = new Map<string, ComposerDraft>();
const storage = openDraftStorage();

/**
 * The draft of a conversation; null for a new one. It stays the same object while the page is open, so that files are
 * read on while another conversation is shown.
 */
export function getComposerDraft(conversationId: string | null): ComposerDraft {
  const key = conversationId ?? NEW;
  const known = drafts.get(key);
  if (known !== undefined) return known;
  const draft = new ComposerDraft(key, { storage, prepare, load });
  drafts.set(key, draft);
  void import('./draft-sync.ts').then(({ storeOnServer }) => storeOnServer(draft)).catch(() => undefined);
  return draft;
}

/** The new chat became this conversation: text written since its first message was sent moves along. */
export function moveNewDraftTo(conversationId: string): void {
  const draft = drafts.get(NEW);
  if (draft === undefined || drafts.has(conversationId)) return;
  drafts.delete(NEW);
  drafts.set(conversationId, draft);
  draft.rename(conversationId);
}

/** Resources are read by a module that is loaded with the first one. */
function load(draft: ComposerDraft, attachment: Attachment): void {
  import('../resources/attach.ts').then(
    ({ loadResource }) => loadResource(draft, attachment),
    () => draft.replace({ ...attachment, state: 'failed', problem: 'not_loaded' }),
  );
}

/** The file reader is loaded with the first file; if that fails, the file can be retried. */
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
