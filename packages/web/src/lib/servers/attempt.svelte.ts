import type { ApiError } from '../api/error.ts';
import { asApiError } from '../state/failure.ts';

/** Something a person does that may fail: one at a time, and what went wrong stays to be read until the next. */
export class Attempt<Name extends string = 'it'> {
  busy: Name | null = $state(null);
  error: ApiError | null = $state.raw(null);

  /** True where it worked. */
  async make(name: Name, work: () => Promise<unknown>): Promise<boolean> {
    this.busy = name;
    this.error = null;
    try {
      await work();
      return true;
    } catch (thrown) {
      this.error = asApiError(thrown);
      return false;
    } finally {
      this.busy = null;
    }
  }
}
