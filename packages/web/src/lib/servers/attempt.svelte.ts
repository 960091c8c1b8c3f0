import { ToolyardError } from '@toolyard/protocol';
import { asApiError } from '../state/failure.ts';

/** What went wrong, in words for a person. */
export type Failed = { message: string; hint?: string | undefined };

/** Something a person does that may fail: one at a time, and what went wrong stays to be read until the next. */
export class Attempt<Name extends string = 'it'> {
  busy: Name | null = $state(null);
  error: Failed | null = $state.raw(null);

  /** True where it worked. */
  async make(name: Name, work: () => Promise<unknown>): Promise<boolean> {
    this.busy = name;
    this.error = null;
    try {
      await work();
      return true;
    } catch (thrown) {
      this.error = failedBy(thrown);
      return false;
    } finally {
      this.busy = null;
    }
  }
}

/** What the API or the MCP client of this tab refused; anything else is a defect of the page and goes on upwards. */
export function failedBy(thrown: unknown): Failed {
  if (!ToolyardError.isInstance(thrown)) return asApiError(thrown);
  const { message, hint } = thrown;
  return { message, hint };
}
