import type { AnyText, ErrorInfo, ErrorInit, ErrorCode } from '@toolyard/protocol';
import { createErrorInfo, defined, say, withTemplate } from '@toolyard/protocol';

import type { ProviderFault } from './error-body.ts';
import { missingKeyError } from './missing-key-error.ts';
import { shortened } from './shortened.ts';

export {
  looksLikeHtml,
  createMessageError,
  readErrorValue,
  readProviderError,
  type ProviderFault,
} from './error-body.ts';

/** Context of an error. */
export type ErrorContext = {
  /** Name of the server: the user's label of the provider, otherwise its address. */
  server: string;
  /** Scheme, host and port: `http://127.0.0.1:8080`. */
  address: string;
  model: string;
  /** Whether a key was sent. */
  hasKey: boolean;
  /** Removes keys from a text. */
  redact: (text: string) => string;
};

type Rule = { code: ErrorCode; hint?: AnyText; retryable?: boolean };

const MISSING_MODEL: Rule = {
  code: 'model_not_found',
  hint: say`List the models of this server and choose one of them.`,
};

/**
 * Converts a provider's error to an `ErrorInfo`. `status` is the HTTP status; null during streaming, where the provider's
 * own code counts.
 */
export function toModelError(error: ProviderFault, status: number | null, context: ErrorContext): ErrorInfo {
  const rule = classify(error, status ?? statusIn(error) ?? 0);
  if (rule.code === 'invalid_key' && !context.hasKey)
    return withAddress(missingKeyError(context.server, say`Enter the API key of this provider.`), context);
  const reason = shortened(context.redact(error.message));
  const message = refusalText(rule.code, status, context, reason === '' ? defaultReason(rule.code) : reason);
  return {
    ...withAddress({ code: rule.code, message, ...defined({ hint: rule.hint }) }, context),
    ...(rule.retryable === true ? { retryable: true } : {}),
    ...(rule.retryable === true ? defined({ retryAfterMs: error.retryAfterMs ?? waitIn(error.message) }) : {}),
  };
}

function refusalText(code: ErrorCode, status: number | null, context: ErrorContext, reason: AnyText): AnyText {
  const { server, model } = context;
  if (code === 'model_not_found') {
    return status === null
      ? say`${server} does not have the model "${model}": ${reason}`
      : say`${server} does not have the model "${model}" (HTTP ${status}): ${reason}`;
  }
  return status === null ? say`${server}: ${reason}` : say`${server} (HTTP ${status}): ${reason}`;
}

/** The HTTP status that an error itself names, as errors of a stream do; null: none. */
export function statusIn({ code }: ProviderFault): number | null {
  return /^[45]\d\d$/.test(code) ? Number(code) : null;
}

/** The delay that a message asks for: `Please try again in 1m2.5s`. */
function waitIn(message: string): number | undefined {
  return durationMs(
    /(?:try again|retry|wait)(?: \w+){0,3}? (?:in|after|for) +((?:[\d.]+ *[a-z]+ *)+)/i.exec(message)?.[1] ?? '',
  );
}

/** Units of a delay in milliseconds. */
const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  mil: 1,
  s: 1000,
  sec: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  hou: 3_600_000,
};

/** A delay with its units, such as `1m2.5s` or `26 seconds`; undefined without any. */
function durationMs(text: string): number | undefined {
  const pieces = [...text.matchAll(/(\d+(?:\.\d+)?) *([a-z]+)/gi)];
  const known = pieces.map(([, amount, unit = '']) => {
    const name = unit.toLowerCase();
    return Number(amount) * (UNITS[name] ?? UNITS[name.slice(0, 3)] ?? Number.NaN);
  });
  const sum = known.filter((ms) => !Number.isNaN(ms)).reduce((all, ms) => all + ms, 0);
  return known.length === 0 || Number.isNaN(known[0]) ? undefined : Math.ceil(sum);
}

/** True if messages name the server by a label, so that they do not contain its address. */
export function isNamed({ server, address }: Pick<ErrorContext, 'server' | 'address'>): boolean {
  return server !== address;
}

/** Adds the address of a server named by its label to the hint: several providers may have similar labels. */
export function withAddress(error: ErrorInit, context: Pick<ErrorContext, 'server' | 'address'>): ErrorInfo {
  if (!isNamed(context)) return createErrorInfo(error);
  const note = say`Base URL: ${context.address}`;
  const advice = error.hint === undefined ? undefined : withTemplate(error.hint, error.templates?.['hint']);
  return createErrorInfo({ ...error, hint: advice === undefined ? note : say`${advice} Base URL: ${context.address}` });
}

function classify(error: ProviderFault, status: number): Rule {
  const names = `${error.code} ${error.type}`.toLowerCase();
  const text = error.message.slice(0, 2000).toLowerCase();

  if (
    status === 402 ||
    /insufficient_quota|insufficient_balance|billing/.test(names) ||
    (!/rate_limit/.test(names) &&
      /insufficient (quota|balance|credit)|exceeded your current quota|credit balance is too low/.test(text))
  ) {
    return { code: 'quota_exceeded', hint: say`Check the plan and the balance of this account, or use another model.` };
  }
  if (/context_length|context_window|exceed_context/.test(names) || isContextMessage(text)) {
    return {
      code: 'context_exceeded',
      hint: say`Start a new conversation, attach less, or choose a model with a larger context window.`,
    };
  }
  if (status === 413 || /request_too_large/.test(names)) {
    return { code: 'too_large', hint: say`Attach less, or smaller files.` };
  }
  // Some providers hide models that a key may not use.
  if (/model_not_found/.test(names)) return MISSING_MODEL;
  if (
    status === 401 ||
    status === 403 ||
    /invalid_api_key|api_key_invalid|authentication|permission_denied|permission_error|unauthorized|unauthenticated/.test(
      names,
    )
  ) {
    return { code: 'invalid_key', hint: say`Check the API key of this provider and its permissions.` };
  }
  // LiteLLM without a database knows only its own key, and says so only by the absence of the database.
  if (/no_db_connection/.test(names)) {
    return {
      code: 'invalid_key',
      hint: say`The API key is probably wrong: without a database, LiteLLM accepts only its master key.`,
    };
  }
  if (/content_?filter|content_policy|moderation|safety|data_?inspection|responsible_?ai/.test(names)) {
    return { code: 'refused', hint: say`The provider does not allow this content. Rephrase it, or use another model.` };
  }
  if (status === 429 || /rate_limit|too_many_requests|resource_exhausted/.test(names)) {
    return { code: 'rate_limited', hint: say`Wait a moment and try again.`, retryable: true };
  }
  if (isMissingModel(names, text, status)) {
    return MISSING_MODEL;
  }
  if (status === 408) return { code: 'timed_out', retryable: true, hint: say`Try again.` };
  if (
    [502, 503, 504, 529].includes(status) ||
    /overloaded|service_unavailable|unavailable/.test(names) ||
    // The words of a rejection (400, 422) are about the request.
    (status !== 400 && status !== 422 && /overloaded|unavailable|loading model/.test(text))
  ) {
    return {
      code: 'overloaded',
      hint: say`The server is busy or still starting. Try again in a moment.`,
      retryable: true,
    };
  }
  if (/\bnot a chat model\b|only (supported|available) (in|with|through) .*v\d+\//.test(text)) {
    return { code: 'bad_request', hint: say`This model needs another API: change the API format of its provider.` };
  }
  // Gateways answer so if no provider of the model takes the content: the address is right.
  if (status === 404 && /\bsupport/.test(text) && /image|audio|video|vision|modal|\bfile/.test(text))
    return { code: 'bad_request' };
  if (status === 404 || status === 405)
    return { code: 'not_a_model_server', hint: say`Check the base URL of the provider.` };
  if (status >= 500) return { code: 'bad_response', retryable: true, hint: say`Check the log of the model server.` };
  // Within a stream, only its type says that the request is at fault.
  const isRequestAtFault = status === 0 && /invalid_request|invalid_argument|bad_?request/.test(names);
  if (status >= 400 || isRequestAtFault) return { code: 'bad_request' };
  return { code: 'bad_response', retryable: true };
}

function isContextMessage(text: string): boolean {
  if (
    /maximum context|context (length|window|size)|prompt is too long|too many (input )?tokens|input is too long|input token count/.test(
      text,
    )
  )
    return true;
  // `In context=('properties', 'x')` is a place in a schema.
  return /exceed/.test(text) && /\bcontext\b(?!=)|\bn_ctx\b/.test(text);
}

function isMissingModel(names: string, text: string, status: number): boolean {
  if (/model_not_found|model_not_available/.test(names) || (/not_found_error/.test(names) && /^model:/.test(text)))
    return true;
  if (status !== 404 && status !== 400 && status !== 422 && status !== 500 && status !== 0) return false;
  return (
    /\bmodels?\b/.test(text) &&
    /not found|does not exist|no such model|unknown model|not a valid model|invalid model/.test(text)
  );
}

function defaultReason(code: ErrorCode): AnyText {
  switch (code) {
    case 'invalid_key':
      return say`the API key was not accepted.`;
    case 'quota_exceeded':
      return say`the quota of this account is used up.`;
    case 'rate_limited':
      return say`too many requests.`;
    case 'overloaded':
      return say`the server is overloaded.`;
    case 'not_a_model_server':
      return say`there is no model API at this base URL.`;
    default:
      return say`the request failed.`;
  }
}

/** Larger numbers of seconds are a time. */
const LONGEST_DELAY_S = 1_000_000_000;

/**
 * The retry delay of a 429 or 503 in milliseconds: of seconds, of a duration with units, or until a date or a Unix time.
 * Of several values the first counts.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const ms = Number(headers.get('retry-after-ms') ?? '');
  if (ms > 0) return Math.ceil(ms);
  const value = (headers.get('retry-after') ?? '').replaceAll('"', '').trim();
  const [number] = /^[+-]?\d+(?:\.\d+)?(?=$|\s*[,;])/.exec(value) ?? [];
  if (number !== undefined) {
    const seconds = Number(number);
    if (seconds > LONGEST_DELAY_S)
      return Math.max(0, (seconds > LONGEST_DELAY_S * 1000 ? seconds : seconds * 1000) - now);
    return seconds < 0 ? undefined : Math.ceil(seconds * 1000);
  }
  if (/^\d+(?:\.\d+)?\s*[a-z]/i.test(value)) return durationMs(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Creates a function that removes keys from text, since servers and proxies may echo requests. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const known = secrets.filter((secret) => secret.length >= 4).sort((a, b) => b.length - a.length);
  return (text) => known.reduce((redacted, secret) => redacted.replaceAll(secret, '[key]'), text);
}
