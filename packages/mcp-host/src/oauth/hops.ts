import type { Clock, Fetch, JsonValue } from '@toolyard/protocol';
import { isJsonObject, parseJson, ToolyardError } from '@toolyard/protocol';
import { limitMessages } from '../transports/body-limit.ts';
import { networkCodeOf } from '../transports/network-error.ts';
import { REDACTED, displayUrl } from '../log/redact.ts';
import type { AuthHop, AuthStep } from './sign-in-health.ts';

const MOST_HOPS = 40;
const LONGEST_DOCUMENT = 256 * 1_024;
const LONGEST_SAYING = 300;
/** How long one of these requests may take, in milliseconds. */
const PATIENCE_MS = 20_000;

/** The account of a sign-in: every request that was made for it, and what came of it. */
export class HopLog {
  readonly #clock: Clock;
  readonly #note: (text: string) => void;
  readonly #fetch: Fetch;
  #hops: AuthHop[] = [];

  /** @param fetch the owner's: whatever a server names is asked for through it */
  constructor(clock: Clock, fetch: Fetch, note: (text: string) => void) {
    this.#clock = clock;
    this.#fetch = limitMessages(fetch, LONGEST_DOCUMENT);
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
   * A fetch that writes down what it does.
   *
   * @param secrets never repeated, whoever says them
   */
  for(step: AuthStep, secrets: readonly string[] = []): Fetch {
    return async (input, init) => {
      const at = this.#clock.now();
      const request = `${init?.method ?? 'GET'} ${displayUrl(String(input))}`;
      const stop = new AbortController();
      const callOff = this.#clock.after(PATIENCE_MS, () => stop.abort());
      try {
        const response = await this.#fetch(input, { ...init, signal: stop.signal });
        // Read here, so that the patience holds for the whole of it.
        const text = await response.text();
        const said = response.ok ? undefined : sayingOf(text);
        this.#add({ at, step, request, status: response.status, ...(said ? { said: hide(said, secrets) } : {}) });
        const { status, headers } = response;
        const answer = new Response(hasBody(status) ? text : null, { status, headers });
        Object.defineProperty(answer, 'url', { value: response.url });
        return answer;
      } catch (thrown) {
        const said = stop.signal.aborted ? 'no answer in time' : whyNot(thrown);
        this.#add({ at, step, request, said: hide(said, secrets) });
        throw unreachable(request, said, thrown);
      } finally {
        callOff();
      }
    };
  }

  #add(hop: AuthHop): void {
    this.#hops.push(hop);
    if (this.#hops.length > MOST_HOPS) this.#hops.shift();
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

/** What an error of OAuth (RFC 6749, 5.2) says of itself; other texts may be whole pages. */
function sayingOf(text: string): string | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { error, error_description: description } = parsed.value;
  const words = [error, description].filter((one: JsonValue | undefined) => typeof one === 'string');
  return words.length === 0 ? undefined : words.join(': ').slice(0, LONGEST_SAYING);
}

function hide(text: string, secrets: readonly string[]): string {
  return secrets.filter((secret) => secret.length > 5).reduce((shown, one) => shown.replaceAll(one, REDACTED), text);
}

function whyNot(thrown: unknown): string {
  if (ToolyardError.isInstance(thrown)) return thrown.message;
  return networkCodeOf(thrown)?.code ?? 'no answer that could be read';
}

/** A guard's refusal stays what it is; everything else may be tried again. */
function unreachable(request: string, said: string, thrown: unknown): ToolyardError {
  if (ToolyardError.isInstance(thrown)) return thrown;
  return new ToolyardError(
    {
      code: 'server_unreachable',
      message: `Signing in is not possible just now: ${request} failed (${said}).`,
      hint: 'Try again; if it stays so, the sign-in server is down or cannot be reached from here.',
      retryable: true,
    },
    { cause: thrown },
  );
}
