import { ProtocolError } from '@modelcontextprotocol/client';
import { MAX_OPEN_REQUESTS } from '@toolyard/protocol';
import type { OpenRequest } from '../calls/track-request.ts';

/** JSON-RPC error code for a declined request. */
const DECLINED = -1;

/**
 * The open requests of one server, over all its connections. The rule: **what a server asks never buries what others
 * ask**, whichever way it asks; what exceeds {@link MAX_OPEN_REQUESTS} is declined at once, and logged once.
 */
export class OpenRequests {
  readonly #onExceeded: (text: string) => void;
  readonly #ofCall = new WeakMap<OpenRequest, number>();
  #open = 0;
  #isNamed = false;

  constructor(onExceeded: (text: string) => void) {
    this.#onExceeded = onExceeded;
  }

  /**
   * Opens a request that may belong to these calls; the returned function closes it.
   *
   * @throws ProtocolError if too many are open
   */
  open(calls: readonly OpenRequest[]): () => void {
    const { perCall, perServer } = MAX_OPEN_REQUESTS;
    const ofCalls = Math.max(0, ...calls.map((call) => this.#ofCall.get(call) ?? 0));
    if (ofCalls >= perCall) throw this.#createExceededError(`${perCall} requests during one call`);
    if (this.#open >= perServer) throw this.#createExceededError(`${perServer} requests`);
    this.#count(calls, 1);
    return () => this.#count(calls, -1);
  }

  /** Checks requests that are asked together. @throws ProtocolError if they are too many */
  checkTogether(count: number): void {
    if (count > MAX_OPEN_REQUESTS.perCall)
      throw this.#createExceededError(`${MAX_OPEN_REQUESTS.perCall} requests during one call`);
  }

  #count(calls: readonly OpenRequest[], by: 1 | -1): void {
    this.#open += by;
    if (this.#open === 0) this.#isNamed = false;
    for (const call of calls) this.#ofCall.set(call, (this.#ofCall.get(call) ?? 0) + by);
  }

  #createExceededError(limit: string): ProtocolError {
    if (!this.#isNamed) this.#onExceeded(`The server has more than ${limit} open. Further ones are declined.`);
    this.#isNamed = true;
    return new ProtocolError(DECLINED, `No more than ${limit} may be open. This one was not shown to the user.`);
  }
}
