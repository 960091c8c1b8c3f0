import { draftOf } from '../composer/drafts.ts';
import { chat } from '../state/chat.svelte.ts';

/** Sends a suggested message as if it had been written; what was being written stays where it is. */
export function ask(text: string): void {
  const draft = draftOf(null);
  void draft.sendOther((parts) => chat.send(parts), [{ type: 'text', text }]);
}
