import type { ChatRun } from './chat-backend.ts';

/** The run in progress of a chat, to be cancelled by a signal. */
export class CurrentRun {
  #run: ChatRun | null = null;

  /** Makes a run the current one until it ends. */
  track(run: ChatRun): ChatRun {
    this.#run = run;
    const clear = (): void => {
      this.#run = null;
    };
    run.result.then(clear, clear);
    return run;
  }

  /** Returns false if no run is in progress. */
  cancel(): boolean {
    this.#run?.cancel();
    return this.#run !== null;
  }
}
