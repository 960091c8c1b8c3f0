import { getComposerDraft } from '../composer/drafts.ts';
import { chat } from '../chat/state/chat.svelte.ts';

/** Sends a suggested message; the draft stays. */
export function sendSuggestion(text: string): void {
  const draft = getComposerDraft(null);
  void draft.sendOther((parts) => chat.send(parts), [{ type: 'text', text }]);
}
