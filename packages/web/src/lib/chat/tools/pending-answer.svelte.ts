import type { InterruptAnswer, ShownCall } from '@toolyard/protocol';
import type { ApiError } from '../../api/error.ts';
import { chat } from '../../state/chat.svelte.ts';
import { asApiError } from '../../state/failure.ts';

/** The answer to one question, on its way. Once it has arrived the question goes away by itself. */
export class PendingAnswer {
  /** What was said, from the click on; null again where it did not arrive. */
  said: InterruptAnswer | null = $state.raw(null);
  error: ApiError | null = $state.raw(null);

  /** @param shown what the person saw of the call: where it has become another one, nothing is answered */
  async send(interruptId: string, answer: InterruptAnswer, shown?: ShownCall): Promise<void> {
    if (this.said !== null) return;
    this.said = answer;
    this.error = null;
    try {
      await chat.answer(interruptId, answer, shown);
    } catch (thrown) {
      this.said = null;
      this.error = asApiError(thrown);
    }
  }
}
