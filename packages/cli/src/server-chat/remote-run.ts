import type { Clock, RunEvent } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { ChatRun } from '../chat/chat-backend.ts';
import type { ServerClient } from '../server/server-client.ts';
import { ServerUnreachable } from '../server/server-lost.ts';
import type { Reconnector } from './reconnector.ts';
import type { AskUserAtTerminal } from './interrupt-prompts.ts';
import { UnansweredInterrupt, InterruptPrompts } from './interrupt-prompts.ts';
import { readEvents } from './read-events.ts';
import type { Steering, UndeliveredMessage } from './steering.ts';

export type RemoteRunOptions = {
  client: ServerClient;
  clock: Clock;
  reconnector: Reconnector;
  /** Starts the run, or finds it, and returns its ID. Must be idempotent: it is called again if the response is lost. */
  begin: () => Promise<string>;
  ask: AskUserAtTerminal;
  steering: Pick<Steering, 'send' | 'delivered' | 'takeUndelivered'>;
  /** Follows another run of the conversation. */
  join: (runId: string) => ChatRun;
  /** The error for a run that stays parked because an interrupt was not answered. */
  createUnansweredError: () => ToolyardError;
};

type Outcome = { status: 'done' | 'cancelled' };

/**
 * A run on a server. Reconnects after lost connections; every event is delivered once, in order. The run continues on the
 * server even if it is not followed; {@link cancel} stops it.
 */
export class RemoteRun implements ChatRun {
  readonly result: Promise<Outcome>;
  readonly #options: RemoteRunOptions;
  readonly #stop = new AbortController();
  #settle: { resolve: (outcome: Outcome) => void; reject: (reason: unknown) => void };
  #runId: string | null = null;
  #cancelled = false;
  #failure: unknown;
  /** Messages entered before the run has an ID. */
  readonly #early: string[] = [];

  constructor(options: RemoteRunOptions) {
    this.#options = options;
    this.#settle = { resolve: () => {}, reject: () => {} };
    this.result = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // A caller that only iterates gets the error there.
    this.result.catch(() => {});
  }

  cancel(): void {
    this.#cancelled = true;
    if (this.#runId !== null) void this.#sendCancel(this.#runId);
  }

  steer(text: string): void {
    if (this.#runId === null) this.#early.push(text);
    else this.#options.steering.send(text);
  }

  async undelivered(): Promise<(string | ChatRun)[]> {
    const { steering, join } = this.#options;
    const messages = await steering.takeUndelivered();
    return [
      ...this.#early,
      ...messages.map((each: UndeliveredMessage) => ('text' in each ? each.text : join(each.runId))),
    ];
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, undefined> {
    try {
      const { reconnector, begin } = this.#options;
      const runId = await reconnector.retry(begin);
      this.#runId = runId;
      if (this.#cancelled) void this.#sendCancel(runId);
      for (const text of this.#early.splice(0)) this.steer(text);
      let last: RunEvent | undefined;
      for await (const event of this.#follow(runId)) {
        last = event;
        yield event;
      }
      if (last?.type === 'run_finished' && last.status === 'failed')
        throw new ToolyardError(last.error ?? UNKNOWN_FAILURE);
      this.#settle.resolve({ status: last?.type === 'run_finished' && last.status === 'done' ? 'done' : 'cancelled' });
    } catch (thrown) {
      const error = thrown instanceof UnansweredInterrupt ? this.#options.createUnansweredError() : thrown;
      this.#settle.reject(error);
      throw error;
    } finally {
      // A consumer that stops iterating must not leave `result` pending.
      this.#settle.resolve({ status: 'cancelled' });
    }
  }

  async *#follow(runId: string): AsyncGenerator<RunEvent, undefined> {
    const { client, clock, reconnector, ask, steering } = this.#options;
    const { signal } = this.#stop;
    const prompts = new InterruptPrompts({
      client,
      reconnector,
      runId,
      ask,
      onInterrupt: () => this.cancel(),
      onEnd: (reason) => this.#end(reason),
    });
    let seq = 0;
    try {
      for (;;) {
        try {
          const onOpen = (): void => reconnector.connected();
          for await (const event of readEvents(client, runId, { after: seq, clock, signal, onOpen })) {
            if (event.seq <= seq) continue;
            seq = event.seq;
            if (event.type === 'interrupt_answered' || event.type === 'interrupt_withdrawn')
              prompts.remove(event.interruptId);
            if (event.type === 'steered') steering.delivered(event.message.id);
            if (event.type === 'run_finished') prompts.close();
            yield event;
            if (event.type === 'run_finished') return;
            // After the consumer has shown the event.
            if (event.type === 'interrupt_requested') prompts.add(event.interrupt);
          }
          throw new ServerUnreachable({
            code: 'stream_broken',
            message: `The Toolyard server at ${client.url} closed the connection.`,
          });
        } catch (thrown) {
          if (signal.aborted) throw this.#failure;
          if (!(thrown instanceof ServerUnreachable)) throw thrown;
          await reconnector.wait(thrown);
        }
      }
    } finally {
      prompts.close();
    }
  }

  async #sendCancel(runId: string): Promise<void> {
    const { client, reconnector } = this.#options;
    try {
      await reconnector.retry(() => client.post('/api/runs/{id}/cancel', { params: { id: runId } }));
    } catch (thrown) {
      this.#end(thrown);
    }
  }

  #end(reason: unknown): void {
    this.#failure ??= reason;
    this.#stop.abort();
  }
}

const UNKNOWN_FAILURE = { code: 'internal', message: 'The run failed without an error message.' } as const;
