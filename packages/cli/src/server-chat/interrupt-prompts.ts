import type { Interrupt, InterruptAnswer } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { PromptReply } from '../chat/ask-user.ts';
import { allPages } from '../server/all-pages.ts';
import type { ServerClient } from '../server/server-client.ts';
import type { Reconnector } from './reconnector.ts';

/** Prompts for an answer. The signal aborts when the interrupt is answered elsewhere. */
export type AskUserAtTerminal = (interrupt: Interrupt, signal: AbortSignal) => Promise<PromptReply<InterruptAnswer>>;

export type InterruptPromptsOptions = {
  client: ServerClient;
  reconnector: Reconnector;
  runId: string;
  ask: AskUserAtTerminal;
  /** Called if the user presses Ctrl-C instead of answering. */
  onInterrupt: () => void;
  /** Called with the reason when no more interrupts can be answered. */
  onEnd: (reason: unknown) => void;
};

/** Prompts for the open interrupts of a run, one at a time, and sends the answers to the server. */
export class InterruptPrompts {
  readonly #options: InterruptPromptsOptions;
  readonly #waiting: Interrupt[] = [];
  #current: { id: string; settled: AbortController } | null = null;
  #closed = false;

  constructor(options: InterruptPromptsOptions) {
    this.#options = options;
  }

  add(interrupt: Interrupt): void {
    this.#waiting.push(interrupt);
    if (!this.#current) void this.#work();
  }

  /** The interrupt was answered, here or elsewhere. */
  remove(id: string): void {
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
        await this.#prompt(next, settled.signal);
      }
    } catch (thrown) {
      this.#options.onEnd(thrown);
    } finally {
      this.#current = null;
    }
  }

  async #prompt(interrupt: Interrupt, settled: AbortSignal): Promise<void> {
    const { client, reconnector, ask, onInterrupt } = this.#options;
    // After joining a run or reconnecting, the events contain answered interrupts, too.
    if (!(await this.#isOpen(interrupt.id)) || settled.aborted) return;
    const reply = await ask(interrupt, settled);
    if (settled.aborted) return;
    if (reply.kind !== 'answered') {
      if (reply.kind === 'interrupted') return onInterrupt();
      throw new UnansweredInterrupt();
    }
    const { answer } = reply;
    const request = { params: { id: interrupt.id }, body: { answer } };
    try {
      await reconnector.retry(() => client.post('/api/interrupts/{id}/answer', request));
    } catch (thrown) {
      // Answered elsewhere, or the run has ended; the events say which.
      if (!ToolyardError.isInstance(thrown) || thrown.code !== 'conflict') throw thrown;
    }
  }

  async #isOpen(id: string): Promise<boolean> {
    const { client, reconnector, runId } = this.#options;
    const query = { run: runId, status: 'open' as const };
    const open = await reconnector.retry(() =>
      allPages((page) => client.get('/api/interrupts', { query: { ...query, ...page } })),
    );
    return open.some((item) => item.id === id);
  }
}

/** The interrupt was not answered here; the run stays parked. */
export class UnansweredInterrupt extends Error {}
