import type { McpTestReport } from '@toolyard/protocol';
import { isAbortError } from '@toolyard/protocol';
import type { FailureText } from '../attempt.svelte.ts';
import { failureText } from '../attempt.svelte.ts';

/** A test of the form's values: one at a time; a cancelled test has no result. */
export class Trial {
  /** Start of the test in progress. */
  since: number | null = $state(null);
  report: McpTestReport | null = $state.raw(null);
  error: FailureText | null = $state.raw(null);
  #control: AbortController | null = null;

  async run(test: (signal: AbortSignal) => Promise<McpTestReport>): Promise<void> {
    this.stop();
    const control = new AbortController();
    this.#control = control;
    this.since = Date.now();
    try {
      const report = await test(control.signal);
      if (this.#control === control) this.report = report;
    } catch (thrown) {
      if (this.#control === control && !isAbortError(thrown)) this.error = failureText(thrown);
    } finally {
      if (this.#control === control) this.since = null;
    }
  }

  /** Also discards the result: the form has changed since. */
  stop(): void {
    this.#control?.abort();
    this.#control = null;
    this.since = null;
    this.report = null;
    this.error = null;
  }
}
