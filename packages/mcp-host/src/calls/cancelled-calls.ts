import type { RequestId } from '@modelcontextprotocol/client';
import type { Clock } from '@toolyard/protocol';
import type { Caller } from '../types.ts';

/** How long a server that does not answer a cancelled call may still ask something for it, in milliseconds. */
export const CANCELLED_MS = 5 * 60_000;
/** More are not kept: the oldest are dropped. */
const MAX_CALLS = 100;

export type CancelledCall = {
  /** What it is called on the wire; absent where it was never sent. */
  readonly requestId?: number | undefined;
  readonly caller?: Caller;
};

/**
 * The calls of one connection that were cancelled or timed out and that the server has not answered. The protocol tells
 * it not to answer them, so it may still work on them and send a request for one of them.
 */
export class CancelledCalls {
  readonly #clock: Clock;
  #calls: { call: CancelledCall; at: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add({ requestId, caller }: CancelledCall): void {
    if (requestId === undefined) return;
    const call = caller === undefined ? { requestId } : { requestId, caller };
    this.#calls = [...this.#calls.slice(1 - MAX_CALLS), { call, at: this.#clock.monotonic() }];
  }

  /** The server has finished with it. */
  answered(requestId: number): void {
    this.#calls = this.#calls.filter(({ call }) => call.requestId !== requestId);
  }

  /** @param carrier the request of ours on whose stream the server asks, where the transport has a stream for each */
  mayAsk(carrier: RequestId | undefined): CancelledCall[] {
    const since = this.#clock.monotonic() - CANCELLED_MS;
    this.#calls = this.#calls.filter(({ at }) => at > since);
    const calls = this.#calls.map(({ call }) => call);
    return carrier === undefined ? calls : calls.filter(({ requestId }) => requestId === carrier);
  }
}
