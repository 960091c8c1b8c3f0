import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import type { ProviderError } from '../wire/provider-error.ts';

/** Parses an error of Google's APIs: the status is a word, and the important facts are in `details`. */
export function readError(value: JsonValue): ProviderError | null {
  const holder = Array.isArray(value) ? value[0] : value;
  const error = isJsonObject(holder) ? holder['error'] : null;
  if (!isJsonObject(error)) return null;
  const details = Array.isArray(error['details']) ? error['details'].filter(isJsonObject) : [];
  const status = textOf(error['status']);
  const waitMs = readWait(details);
  return {
    message: withViolations(textOf(error['message']), details),
    code: typeof error['code'] === 'number' ? String(error['code']) : '',
    type: typeOf(status, details),
    param: '',
    ...(waitMs === null ? {} : { retryAfterMs: waitMs }),
  };
}

/** "Request contains an invalid argument." says less than the details. */
function withViolations(message: string, details: readonly JsonObject[]): string {
  const said = details
    .flatMap(({ fieldViolations }) => (Array.isArray(fieldViolations) ? fieldViolations : []))
    .flatMap((each) => (isJsonObject(each) ? [textOf(each['description'])] : []))
    .filter((text) => text !== '' && !message.includes(text));
  return [message, ...new Set(said)].join(' ').trim();
}

/** A quota per minute is a rate limit; only an exhausted daily quota counts as used up. */
function typeOf(status: string, details: readonly JsonObject[]): string {
  if (details.some((detail) => detail['reason'] === 'API_KEY_INVALID')) return 'invalid_api_key';
  if (status !== 'RESOURCE_EXHAUSTED') return status;
  const violations = details.flatMap((detail) => (Array.isArray(detail['violations']) ? detail['violations'] : []));
  const isForToday = violations.some(
    (violation) => isJsonObject(violation) && /PerDay/.test(textOf(violation['quotaId'])),
  );
  return isForToday ? 'insufficient_quota' : 'rate_limit';
}

function readWait(details: readonly JsonObject[]): number | null {
  for (const detail of details) {
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(textOf(detail['retryDelay']))?.[1];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000);
  }
  return null;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
