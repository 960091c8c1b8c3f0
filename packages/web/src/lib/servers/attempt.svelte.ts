import { ToolyardError } from '@toolyard/protocol';
import { asApiError } from '../state/failure.ts';

/** An error as shown on the page; `code` is absent if it did not come from the API. */
export type FailureText = { code?: string; message: string; hint?: string | undefined };

/** A user action that may fail. The error stays until the next action. */
export class Attempt<Name extends string = 'it'> {
  busy: Name | null = $state(null);
  error: FailureText | null = $state.raw(null);

  /** True on success. */
  async make(name: Name, work: () => Promise<unknown>): Promise<boolean> {
    this.busy = name;
    this.error = null;
    try {
      await work();
      return true;
    } catch (thrown) {
      this.error = failureText(thrown);
      return false;
    } finally {
      this.busy = null;
    }
  }
}

/** Converts errors of the API or of the tab's MCP client; anything else is a bug of the page and is thrown again. */
export function failureText(thrown: unknown): FailureText {
  if (!ToolyardError.isInstance(thrown)) return asApiError(thrown);
  const { message, hint } = thrown;
  return { message, hint };
}
