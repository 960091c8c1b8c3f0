import type { InterruptAnswer, ShownCall } from '@toolyard/protocol';
import type { ApiError } from '../../api/error.ts';
import { chat } from '../state/chat.svelte.ts';
import { toApiError } from '../../state/failure.ts';

/** The answer to an interrupt while it is sent. */
export class PendingAnswer {
  /** The answer, from the click on; null again if sending failed. */
  answer: InterruptAnswer | null = $state.raw(null);
  /** The server has stored the answer. The interrupt disappears with the next event of the run. */
  isStored = $state(false);
  error: ApiError | null = $state.raw(null);

  /** @param shown the call as the user saw it; if it has changed since, nothing is sent */
  async send(interruptId: string, answer: InterruptAnswer, shown?: ShownCall): Promise<void> {
    if (this.answer !== null) return;
    this.answer = answer;
    this.isStored = false;
    this.error = null;
    try {
      await chat.answer(interruptId, answer, shown);
      this.isStored = true;
    } catch (thrown) {
      this.answer = null;
      this.error = toApiError(thrown);
    }
  }
}
