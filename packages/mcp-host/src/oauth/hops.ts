import type { Clock, Fetch, JsonObject } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';
import { limitMessages } from '../transports/body-limit.ts';
import { withBody } from '../transports/with-body.ts';
import { findNetworkCode } from '../transports/network-error.ts';
import { REDACTED, displayUrl } from '../log/redact.ts';
import { reasonIn } from '../connection/version-choice.ts';
import { errorMessageIn, readDocument } from './read-document.ts';
import type { AuthHop, AuthStep } from './sign-in-health.ts';

const MAX_HOPS = 40;
const MAX_DOCUMENT_LENGTH = 256 * 1_024;
const MAX_MESSAGE_LENGTH = 300;
/** Timeout of one request, in milliseconds. */
const REQUEST_TIMEOUT_MS = 20_000;

/** The log of a sign-in: each request and its result. */
export class HopLog {
  readonly #clock: Clock;
  readonly #note: (text: string) => void;
  readonly #fetch: Fetch;
  #hops: AuthHop[] = [];

  /** @param fetch used for all URLs that servers name */
  constructor(clock: Clock, fetch: Fetch, note: (text: string) => void) {
    this.#clock = clock;
    this.#fetch = limitMessages(fetch, MAX_DOCUMENT_LENGTH);
    this.#note = note;
  }

  /** Oldest first. */
  entries(): AuthHop[] {
    return [...this.#hops];
  }

  begin(): void {
    this.#hops = [];
  }

  get last(): AuthHop | undefined {
    return this.#hops.at(-1);
  }

  /**
   * A fetch that logs its requests.
   *
   * @param secrets never repeated in the log
   */
  for(step: AuthStep, secrets: readonly string[] = []): Fetch {
    return async (input, init) => {
      const at = this.#clock.now();
      const request = `${init?.method ?? 'GET'} ${displayUrl(String(input))}`;
      const stop = new AbortController();
      const cancelTimer = this.#clock.after(REQUEST_TIMEOUT_MS, () => stop.abort());
      try {
        const response = await this.#fetch(input, { ...init, signal: stop.signal });
        // Read here, so that the timeout covers the whole body.
        const text = await response.text();
        const document = readDocument(text);
        // Some token endpoints report errors with status 200.
        const said = response.ok && document?.['error'] === undefined ? undefined : findMessage(document, text);
        this.#add({ at, step, request, status: response.status, ...(said ? { said: hide(said, secrets) } : {}) });
        const body = document === undefined ? text : JSON.stringify(document);
        return withBody(response, hasBody(response.status) ? body : null);
      } catch (thrown) {
        const said = stop.signal.aborted ? 'timed out' : failureReason(thrown);
        this.#add({ at, step, request, said: hide(said, secrets) });
        throw createHopError(request, said, thrown);
      } finally {
        cancelTimer();
      }
    };
  }

  #add(hop: AuthHop): void {
    this.#hops.push(hop);
    if (this.#hops.length > MAX_HOPS) this.#hops.shift();
    this.#note(`Sign-in, ${hop.step}: ${describeHop(hop)}`);
  }
}

/** `GET https://... : HTTP 404`. */
export function describeHop({ request, status, said }: AuthHop): string {
  const outcome = status === undefined ? '' : `: HTTP ${status}`;
  return `${request}${outcome}${said === undefined ? '' : ` (${said})`}`;
}

function hasBody(status: number): boolean {
  return status !== 204 && status !== 205 && status !== 304;
}

/** The message of an error, or a short text; other bodies may be whole pages. */
function findMessage(document: JsonObject | undefined, text: string): string | undefined {
  return (
    errorMessageIn(document)?.slice(0, MAX_MESSAGE_LENGTH) ?? (document === undefined ? reasonIn(text) : undefined)
  );
}

function hide(text: string, secrets: readonly string[]): string {
  return secrets.filter((secret) => secret.length > 5).reduce((shown, one) => shown.replaceAll(one, REDACTED), text);
}

function failureReason(thrown: unknown): string {
  if (ToolyardError.isInstance(thrown)) return thrown.message;
  return findNetworkCode(thrown)?.code ?? 'no readable response';
}

/** Keeps the error of a guard; everything else is retryable. */
function createHopError(request: string, said: string, thrown: unknown): ToolyardError {
  if (ToolyardError.isInstance(thrown)) return thrown;
  return new ToolyardError(
    {
      code: 'server_unreachable',
      message: say`Signing in failed: ${request} failed (${said}).`,
      hint: say`Try again. If it keeps failing, the authorization server is down or unreachable from here.`,
      retryable: true,
    },
    { cause: thrown },
  );
}
