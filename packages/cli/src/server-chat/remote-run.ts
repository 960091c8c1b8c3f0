import type { Clock, RunEvent } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { ChatRun } from '../chat/chat-backend.ts';
import type { ServerClient } from '../server/server-client.ts';
import { ServerUnreachable } from '../server/server-lost.ts';
import type { Reconnector } from './reconnector.ts';
import type { AskUserAtTerminal } from './questions.ts';
import { UnansweredQuestion, Questions } from './questions.ts';
import { readEvents } from './read-events.ts';
import type { Steering, UndeliveredMessage } from './steering.ts';

export type RemoteRunOptions = {
  client: ServerClient;
  clock: Clock;
  patience: Reconnector;
  /** Sets the run going, or finds it; gives its id. May be called again where no answer came. */
  begin: () => Promise<string>;
  ask: AskUserAtTerminal;
  steering: Pick<Steering, 'say' | 'heard' | 'undelivered'>;
  /** A run that answers what this one did not hear. */
  join: (runId: string) => ChatRun;
  /** What is said where the run waits for an answer that nobody here gives. */
  leftOpen: () => ToolyardError;
};

type Outcome = { status: 'done' | 'cancelled' };

/**
 * A run of a server, followed over lost connections: every event comes once, in order. It goes on at the server
 * whether or not it is followed; {@link cancel} stops it.
 */
export class RemoteRun implements ChatRun {
  readonly result: Promise<Outcome>;
  readonly #options: RemoteRunOptions;
  readonly #stop = new AbortController();
  #settle: { resolve: (outcome: Outcome) => void; reject: (reason: unknown) => void };
  #runId: string | null = null;
  #cancelled = false;
  #failure: unknown;
  /** Said before the run was there. */
  readonly #early: string[] = [];

  constructor(options: RemoteRunOptions) {
    this.#options = options;
    this.#settle = { resolve: () => {}, reject: () => {} };
    this.result = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // Whoever only reads the events learns of a failure there.
    this.result.catch(() => {});
  }

  cancel(): void {
    this.#cancelled = true;
    if (this.#runId !== null) void this.#sendCancel(this.#runId);
  }

  steer(text: string): void {
    if (this.#runId === null) this.#early.push(text);
    else this.#options.steering.say(text);
  }

  async undelivered(): Promise<(string | ChatRun)[]> {
    const { steering, join } = this.#options;
    const left = await steering.undelivered();
    return [...this.#early, ...left.map((each: UndeliveredMessage) => ('text' in each ? each.text : join(each.runId)))];
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, undefined> {
    try {
      const { patience, begin } = this.#options;
      const runId = await patience.until(begin);
      this.#runId = runId;
      if (this.#cancelled) void this.#sendCancel(runId);
      for (const text of this.#early.splice(0)) this.steer(text);
      let last: RunEvent | undefined;
      for await (const event of this.#follow(runId)) {
        last = event;
        yield event;
      }
      if (last?.type === 'run_finished' && last.status === 'failed') throw new ToolyardError(last.error ?? UNTOLD);
      this.#settle.resolve({ status: last?.type === 'run_finished' && last.status === 'done' ? 'done' : 'cancelled' });
    } catch (thrown) {
      const told = thrown instanceof UnansweredQuestion ? this.#options.leftOpen() : thrown;
      this.#settle.reject(told);
      throw told;
    } finally {
      // Of a reader that left early: nobody is to wait for the result.
      this.#settle.resolve({ status: 'cancelled' });
    }
  }

  async *#follow(runId: string): AsyncGenerator<RunEvent, undefined> {
    const { client, clock, patience, ask, steering } = this.#options;
    const { signal } = this.#stop;
    const questions = new Questions({
      client,
      patience,
      runId,
      ask,
      onInterrupt: () => this.cancel(),
      onEnd: (reason) => this.#end(reason),
    });
    let seq = 0;
    try {
      for (;;) {
        try {
          const onOpen = (): void => patience.back();
          for await (const event of readEvents(client, runId, { after: seq, clock, signal, onOpen })) {
            if (event.seq <= seq) continue;
            seq = event.seq;
            if (event.type === 'interrupt_answered' || event.type === 'interrupt_withdrawn')
              questions.answered(event.interruptId);
            if (event.type === 'steered') steering.heard(event.message.id);
            if (event.type === 'run_finished') questions.close();
            yield event;
            if (event.type === 'run_finished') return;
            // After the screen has shown what came before it.
            if (event.type === 'interrupt_requested') questions.asked(event.interrupt);
          }
          throw new ServerUnreachable({
            code: 'stream_broken',
            message: `The Toolyard server at ${client.url} has ended the connection.`,
          });
        } catch (thrown) {
          if (signal.aborted) throw this.#failure;
          if (!(thrown instanceof ServerUnreachable)) throw thrown;
          await patience.wait(thrown);
        }
      }
    } finally {
      questions.close();
    }
  }

  async #sendCancel(runId: string): Promise<void> {
    const { client, patience } = this.#options;
    try {
      await patience.until(() => client.post('/api/runs/{id}/cancel', { params: { id: runId } }));
    } catch (thrown) {
      this.#end(thrown);
    }
  }

  #end(reason: unknown): void {
    this.#failure ??= reason;
    this.#stop.abort();
  }
}

const UNTOLD = { code: 'internal', message: 'The run failed, and the server does not say why.' } as const;
