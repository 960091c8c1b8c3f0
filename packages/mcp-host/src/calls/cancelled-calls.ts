import type { RequestId } from '@modelcontextprotocol/client';
import type { Clock } from '@toolyard/protocol';
import type { Caller } from '../types.ts';

/** How long a server that does not answer a cancelled call may still send requests for it, in milliseconds. */
export const CANCELLED_MS = 5 * 60_000;
/** The limit; the oldest are dropped. */
const MAX_CALLS = 100;

export type CancelledCall = {
  /** Its JSON-RPC id; absent if it was never sent. */
  readonly requestId?: number | undefined;
  readonly caller?: Caller;
};

/**
 * The calls of one connection that were cancelled or timed out and that the server has not answered. The protocol does
 * not let it answer them, so it may still execute them and send requests for them.
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

  /** The server answered the call. */
  answered(requestId: number): void {
    this.#calls = this.#calls.filter(({ call }) => call.requestId !== requestId);
  }

  /**
   * @param carrier id of our request on whose stream the server's request arrived, for transports with a stream per
   * request
   */
  mayAsk(carrier: RequestId | undefined): CancelledCall[] {
    const since = this.#clock.monotonic() - CANCELLED_MS;
    this.#calls = this.#calls.filter(({ at }) => at > since);
    const calls = this.#calls.map(({ call }) => call);
    return carrier === undefined ? calls : calls.filter(({ requestId }) => requestId === carrier);
  }
}
