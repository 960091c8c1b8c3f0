import { composerDraftOf } from '../composer/drafts.ts';
import { chat } from '../state/chat.svelte.ts';

/** Sends a suggested message as if it had been written; what was being written stays where it is. */
export function sendSuggestion(text: string): void {
  const draft = composerDraftOf(null);
  void draft.sendOther((parts) => chat.send(parts), [{ type: 'text', text }]);
}
