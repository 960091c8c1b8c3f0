import { ToolyardError } from '@toolyard/protocol';
import { asApiError } from '../state/failure.ts';

/** An error as the page shows it; without a code if it did not come from the API. */
export type FailureText = { code?: string; message: string; hint?: string | undefined };

/** An action of the user that may fail. The error stays until the next action. */
export class Attempt<Name extends string = 'it'> {
  busy: Name | null = $state(null);
  error: FailureText | null = $state.raw(null);

  /** True if it succeeded. */
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

/** What the API or the MCP client of this tab refused; anything else is a defect of the page and goes on upwards. */
export function failureText(thrown: unknown): FailureText {
  if (!ToolyardError.isInstance(thrown)) return asApiError(thrown);
  const { message, hint } = thrown;
  return { message, hint };
}
