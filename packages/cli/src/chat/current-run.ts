import type { ChatRun } from './chat-backend.ts';

/** The answer that is under way in a chat, for whoever wants to stop it. */
export class CurrentRun {
  #run: ChatRun | null = null;

  /** Takes one that has just begun; it stays until it is over. */
  track(run: ChatRun): ChatRun {
    this.#run = run;
    const over = (): void => {
      this.#run = null;
    };
    run.result.then(over, over);
    return run;
  }

  /** True where there was one to stop. */
  cancel(): boolean {
    this.#run?.cancel();
    return this.#run !== null;
  }
}
