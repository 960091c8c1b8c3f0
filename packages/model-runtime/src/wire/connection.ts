import type { ErrorInfo, Clock, Fetch, JsonValue } from '@toolyard/protocol';
import { createErrorInfo, isAbortError, isJsonObject, parseJson, ToolyardError, say } from '@toolyard/protocol';
import { throwIfAborted } from '../abort.ts';
import { callHeaders } from '../call-headers.ts';
import type { CallOptions, ModelInfo } from '../types.ts';
import { brokenStream } from './answer.ts';
import { getOrigin } from './base-url.ts';
import { CallGuard, IdleTimeoutError } from './call-guard.ts';
import type { ApiDialect, Exchange, Outgoing } from './dialect.ts';
import { Endpoint, readBounded, type EndpointOutcome } from './endpoint.ts';
import type { ModelDetailsOptions } from '../model-details.ts';
import type { ModelListing } from './model-listing.ts';
import { isTransient, toNetworkError } from './network-error.ts';
import { createRedactor, isNamed, retryAfterMs, toModelError, type ErrorContext } from './provider-error.ts';
import { isLoading, LOADING_POLL_MS, MAX_LOADING_MS } from './loading.ts';
import { retryWaitMs } from './retry.ts';
import { nameIn, shortened } from './shortened.ts';

/** Options every wire needs to reach its server. */
export type WireOptions = {
  /** With or without the version, a trailing slash, or the path of an endpoint. */
  baseUrl: string;
  /** The user's name of the provider, for messages; default: the origin of the base URL. */
  label?: string;
  apiKey?: string;
  /** Additional headers, which override the default ones. Their values are redacted as secrets. */
  headers?: Record<string, string>;
  fetch: Fetch;
  clock: Clock;
  /** Generates ids for calls found in text; without it they have none. */
  newId?: () => string;
  /** Default: the model list of the wire. */
  models?: ModelListing;
  /** What a detection has read of the models: the first request need not ask for it again. */
  knownModels?: readonly ModelInfo[];
  /** Timeout in milliseconds without data, default 120,000. */
  idleTimeoutMs?: number;
  /** Maximum number of retries if the server is busy and nothing was streamed yet, default 2. */
  maxRetries?: number;
  /** Jitter for retry delays; default Math.random. */
  random?: () => number;
};

/** Maximum size of a non-streamed response, in characters or bytes: model lists, vectors, images, audio. */
export const MAX_WHOLE = 64_000_000;

/** What a request to a server needs: dialect, endpoint, and common headers. */
export type OpenedEndpoint = { dialect: ApiDialect; endpoint: Endpoint; headers: Record<string, string> };

/** Requests to one server over one wire, with error handling and retries. */
export class Connection {
  /** Scheme, host and port of the base URL. */
  readonly address: string;
  /** The server's name in messages: the user's label, otherwise its address. */
  readonly server: string;
  /** Values that are removed from messages. */
  readonly #secrets: string[];
  readonly #options: WireOptions;
  readonly #load: () => Promise<ApiDialect>;
  /** Empty without a key. */
  readonly #key: string;
  #opened: Promise<OpenedEndpoint> | null = null;

  /** Throws ToolyardError `bad_config` unless the base URL is an http(s) URL. */
  constructor(options: WireOptions, load: () => Promise<ApiDialect>) {
    const { apiKey, headers = {}, baseUrl } = options;
    this.#options = options;
    this.#key = apiKey?.trim() ?? '';
    this.#load = load;
    this.address = getOrigin(baseUrl);
    this.server = nameIn(options.label) ?? this.address;
    this.#secrets = [this.#key, ...secretsInKey(this.#key), ...Object.values(headers), ...queryValues(baseUrl)];
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  /** Loads the wire on first use. */
  open(): Promise<OpenedEndpoint> {
    this.#opened ??= this.#load().then((dialect) => {
      const { baseUrl, fetch: plainFetch, headers: own, clock } = this.#options;
      const apiKey = this.#key === '' ? undefined : this.#key;
      const addSecret = (secret: string): void => void this.#secrets.push(secret);
      const fetch = dialect.signed?.({ apiKey, fetch: plainFetch, clock, addSecret }) ?? plainFetch;
      const headers = checkedHeaders({ ...dialect.headers(apiKey), ...own }, this.server);
      return { dialect, endpoint: new Endpoint(baseUrl, dialect, fetch), headers };
    });
    return this.#opened;
  }

  get listing(): ModelListing | undefined {
    return this.#options.models;
  }

  guard(options: CallOptions): CallGuard {
    const { clock, idleTimeoutMs = 120_000 } = this.#options;
    return new CallGuard({ clock, idleTimeoutMs, signal: options.signal });
  }

  /** The headers of one request alone. */
  getHeaders(options: CallOptions): Readonly<Record<string, string>> {
    return checkedHeaders(callHeaders(options), this.server);
  }

  /** `headers`: those of one request alone. */
  errorContext(model: string, headers: Readonly<Record<string, string>> = {}): ErrorContext {
    const own = Object.values(headers);
    const hasKey = this.#key !== '' || Object.keys(this.#options.headers ?? {}).length + own.length > 0;
    const redact = (text: string): string => createRedactor([...this.#secrets, ...own])(text);
    return { server: this.server, address: this.address, model, hasKey, redact };
  }

  /** Adds facts that local model servers report outside their list. */
  async withFacts(models: ModelInfo[], { signal }: CallOptions): Promise<ModelInfo[]> {
    const { serverOfModels, withModelDetails } = await import('../model-details.ts');
    const server = serverOfModels(models);
    if (server === undefined) return models;
    return withModelDetails(models, server, await this.#factsOptions(signal));
  }

  /** Whether the server passes tools to a model, if a detection has read it. */
  knowsTools(model: string): boolean | undefined {
    return this.#options.knownModels?.find(({ id }) => id === model)?.nativeTools;
  }

  /** False if this response came from a server that did not pass the tools of the request to the model. */
  async showsTools(response: Response, { signal }: CallOptions): Promise<boolean> {
    if (!/^llama\.cpp\b/i.test(response.headers.get('server') ?? '')) return true;
    const { templateShowsTools } = await import('../model-details.ts');
    return (await templateShowsTools(await this.#factsOptions(signal))) !== false;
  }

  async #factsOptions(signal: AbortSignal | undefined): Promise<ModelDetailsOptions> {
    const { baseUrl, fetch, clock } = this.#options;
    const { headers } = await this.open();
    return { baseUrl, fetch, clock, headers, signal };
  }

  /** Sends a request with a JSON response. `nothing`: the error if the JSON lacks the expected content. */
  async exchange<Result>(
    model: string,
    { read, ...outgoing }: Exchange<Result>,
    options: CallOptions,
    nothing: (errors: ErrorContext) => ErrorInfo = unreadable,
  ): Promise<Result> {
    return this.call(model, outgoing, options, async (response, guard, errors) => {
      const parsed = parseJson(await readBounded(response, guard, MAX_WHOLE));
      const result = parsed.ok ? readOrNull(read, parsed.value) : null;
      if (result !== null) return result;
      throw new ToolyardError(nothing(errors));
    });
  }

  /** Sends a request with retries; `read` reads the response. */
  async call<Result>(
    model: string,
    outgoing: Outgoing,
    options: CallOptions,
    read: (response: Response, guard: CallGuard, errors: ErrorContext) => Promise<Result>,
  ): Promise<Result> {
    throwIfAborted(options.signal);
    const { dialect, endpoint, headers } = await this.open();
    const guard = this.guard(options);
    const errors = this.errorContext(model, options.headers);
    const init = requestInit(outgoing, 'application/json', { ...headers, ...this.getHeaders(options) });
    try {
      for (let attempt = 0; ; attempt += 1) {
        const outcome = await endpoint.send(outgoing.path, init, guard, errors);
        if (outcome.kind === 'answered') return await read(outcome.response, guard, errors);
        const failure = this.refusal(outcome, dialect, errors);
        const waitMs = this.waitBefore(outcome, failure, attempt);
        if (waitMs === null) throw new ToolyardError(failure);
        await guard.pause(waitMs);
      }
    } catch (thrown) {
      if (thrown instanceof IdleTimeoutError) throw new ToolyardError(this.idleError());
      if (isAbortError(thrown) || ToolyardError.isInstance(thrown)) throw thrown;
      throw new ToolyardError(brokenStream(this.server), { cause: thrown });
    } finally {
      guard.dispose();
    }
  }

  /** Delay before a server that is loading its model is asked again; null if it is not, or has taken too long. */
  waitWhileLoading(outcome: EndpointOutcome, loadingMs: number): number | null {
    if (this.#options.maxRetries === 0 || loadingMs >= MAX_LOADING_MS) return null;
    return outcome.kind === 'refused' && isLoading(outcome.status, outcome.error) ? LOADING_POLL_MS : null;
  }

  /** Delay in milliseconds before a retry; null if the request should not be retried. */
  waitBefore(outcome: EndpointOutcome, failure: ErrorInfo, attempt: number): number | null {
    const { maxRetries = 2, random = Math.random } = this.#options;
    if (attempt >= maxRetries || (outcome.kind === 'failed' && !isTransient(outcome.thrown))) return null;
    return retryWaitMs(failure, attempt, random);
  }

  /** The error for a request without an answer. */
  refusal(
    outcome: Exclude<EndpointOutcome, { kind: 'answered' }>,
    dialect: ApiDialect,
    errors: ErrorContext,
  ): ErrorInfo {
    switch (outcome.kind) {
      case 'failed':
        return toNetworkError(outcome.thrown, outcome.url, nameIn(this.#options.label));
      case 'wrong_address': {
        const said = outcome.foundPage ? 'the server returned a web page' : shortened(errors.redact(outcome.reason));
        const place = `${outcome.triedUrls.join(' or ')}${said === '' ? '' : `: ${said.replace(/\.$/, '')}`}`;
        return createErrorInfo({
          code: 'not_a_model_server',
          message: say`No ${isNamed(errors) ? `${dialect.label} of ${errors.server}` : dialect.label} was found at ${place}.`,
          hint: say`Check the base URL, and that the provider has the right API format; a base URL looks like ${dialect.addresses.example}.`,
        });
      }
      case 'refused': {
        const error = toModelError(outcome.error, outcome.streamed === true ? null : outcome.status, errors);
        const wait = retryAfterMs(outcome.headers, this.clock.now());
        return wait === undefined || error.retryable !== true ? error : { ...error, retryAfterMs: wait };
      }
    }
  }

  idleError(): ErrorInfo {
    const seconds = Math.round((this.#options.idleTimeoutMs ?? 120_000) / 1000);
    return createErrorInfo({
      code: 'timed_out',
      message: say`${this.server} sent no data for ${seconds} s.`,
      hint: say`The model may be loading or too slow for this request. Try again, or increase the idle timeout.`,
      retryable: true,
    });
  }
}

/** The `RequestInit` of a request; without a body it is a GET. */
export function requestInit(outgoing: Outgoing, accept: string, headers: Record<string, string>): RequestInit {
  const { body, headers: own } = outgoing;
  const isJson = typeof body === 'string' && body !== '';
  return {
    method: body === '' ? 'GET' : 'POST',
    headers: { ...(isJson ? { 'content-type': 'application/json' } : {}), accept, ...own, ...headers },
    ...(body === '' ? {} : { body }),
  };
}

/** The result of `read`; null also if it throws, as for invalid base64. */
function readOrNull<Result>(read: (answer: JsonValue) => Result | null, answer: JsonValue): Result | null {
  try {
    return read(answer);
  } catch {
    return null;
  }
}

function unreadable(errors: ErrorContext): ErrorInfo {
  return createErrorInfo({
    code: 'bad_response',
    message: say`The answer of ${errors.server} could not be read: ${'the expected content is missing'}.`,
    hint: say`Check that the model supports this operation.`,
    retryable: true,
  });
}

/** The secrets within a key that has several parts: Google's JSON keys, and `ID:SECRET:TOKEN` of AWS. */
function secretsInKey(key: string): string[] {
  const parsed = parseJson(key);
  if (parsed.ok && isJsonObject(parsed.value)) {
    const { private_key: privateKey, client_secret: secret, refresh_token: token } = parsed.value;
    return [privateKey, secret, token].filter((value) => typeof value === 'string');
  }
  return key.split(':').slice(1);
}

/** Validates headers, because fetch would reject them with an unhelpful error. Throws ToolyardError. */
function checkedHeaders<Headers extends Readonly<Record<string, string>>>(headers: Headers, server: string): Headers {
  const isValid = Object.entries(headers).every(
    ([name, value]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value),
  );
  if (isValid) return headers;
  throw new ToolyardError({
    code: 'bad_config',
    message: say`The API key or a header for ${server} contains line breaks or other characters that are not allowed in a header.`,
    hint: say`Copy the key again, without surrounding text.`,
  });
}

/** Some base URLs contain a key in the query. */
function queryValues(baseUrl: string): string[] {
  const query = baseUrl.indexOf('?');
  if (query === -1) return [];
  const parameters = [...new URLSearchParams(baseUrl.slice(query))];
  return parameters.flatMap(([name, value]) => (/key|token|secret|sig|code|auth/i.test(name) ? [value] : []));
}
