import type { McpTestReport } from '@toolyard/protocol';
import { isAbortError } from '@toolyard/protocol';
import type { FailureText } from '../attempt.svelte.ts';
import { failureText } from '../attempt.svelte.ts';

/** A test of what stands in the form: one at a time, and none that is stopped has a result. */
export class Trial {
  /** When the one under way began. */
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

  /** Also forgets what was found: it is no longer what stands in the form. */
  stop(): void {
    this.#control?.abort();
    this.#control = null;
    this.since = null;
    this.report = null;
    this.error = null;
  }
}
