import type { InterruptAnswer, ShownCall } from '@toolyard/protocol';
import type { ApiError } from '../../api/error.ts';
import { chat } from '../../state/chat.svelte.ts';
import { asApiError } from '../../state/failure.ts';

/** The answer to an interrupt while it is sent. The interrupt disappears once the server has stored it. */
export class PendingAnswer {
  /** The answer, from the click on; null again if sending failed. */
  answer: InterruptAnswer | null = $state.raw(null);
  error: ApiError | null = $state.raw(null);

  /** @param shown the call as the user saw it; if it has changed since, nothing is sent */
  async send(interruptId: string, answer: InterruptAnswer, shown?: ShownCall): Promise<void> {
    if (this.answer !== null) return;
    this.answer = answer;
    this.error = null;
    try {
      await chat.answer(interruptId, answer, shown);
    } catch (thrown) {
      this.answer = null;
      this.error = asApiError(thrown);
    }
  }
}
