import type { Interrupt, InterruptAnswer } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { PromptReply } from '../chat/ask-user.ts';
import { allPages } from '../server/all-pages.ts';
import type { ServerClient } from '../server/server-client.ts';
import type { Reconnector } from './reconnector.ts';

/** Puts a question to whoever can answer it. The signal tells that somebody else has. */
export type AskUserAtTerminal = (interrupt: Interrupt, signal: AbortSignal) => Promise<PromptReply<InterruptAnswer>>;

export type QuestionsOptions = {
  client: ServerClient;
  patience: Reconnector;
  runId: string;
  ask: AskUserAtTerminal;
  /** The person pressed Ctrl-C instead of answering. */
  onInterrupt: () => void;
  /** No more will be answered here, and why. */
  onEnd: (reason: unknown) => void;
};

/** The open questions of a run: put one after the other, and answered at the server. */
export class Questions {
  readonly #options: QuestionsOptions;
  readonly #waiting: Interrupt[] = [];
  #current: { id: string; settled: AbortController } | null = null;
  #closed = false;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  asked(interrupt: Interrupt): void {
    this.#waiting.push(interrupt);
    if (!this.#current) void this.#work();
  }

  /** It was answered, here or elsewhere. */
  answered(id: string): void {
    const at = this.#waiting.findIndex((interrupt) => interrupt.id === id);
    if (at !== -1) this.#waiting.splice(at, 1);
    if (this.#current?.id === id) this.#current.settled.abort();
  }

  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
    this.#current?.settled.abort();
  }

  async #work(): Promise<void> {
    try {
      for (let next = this.#waiting.shift(); next && !this.#closed; next = this.#waiting.shift()) {
        const settled = new AbortController();
        this.#current = { id: next.id, settled };
        await this.#put(next, settled.signal);
      }
    } catch (thrown) {
      this.#options.onEnd(thrown);
    } finally {
      this.#current = null;
    }
  }

  async #put(interrupt: Interrupt, settled: AbortSignal): Promise<void> {
    const { client, patience, ask, onInterrupt } = this.#options;
    // Of a run that is joined, or read again after a lost connection, old questions come by as well.
    if (!(await this.#isOpen(interrupt.id)) || settled.aborted) return;
    const reply = await ask(interrupt, settled);
    if (settled.aborted) return;
    if (reply.kind !== 'said') {
      if (reply.kind === 'interrupted') return onInterrupt();
      throw new UnansweredQuestion();
    }
    const { answer } = reply;
    const request = { params: { id: interrupt.id }, body: { answer } };
    try {
      await patience.until(() => client.post('/api/interrupts/{id}/answer', request));
    } catch (thrown) {
      // Somebody else was quicker, or the run has ended: its events tell.
      if (!ToolyardError.isInstance(thrown) || thrown.code !== 'conflict') throw thrown;
    }
  }

  async #isOpen(id: string): Promise<boolean> {
    const { client, patience, runId } = this.#options;
    const query = { run: runId, status: 'open' as const };
    const open = await patience.until(() =>
      allPages((page) => client.get('/api/interrupts', { query: { ...query, ...page } })),
    );
    return open.some((item) => item.id === id);
  }
}

/** Nobody here answers what the run waits for; it waits on. */
export class UnansweredQuestion extends Error {}
