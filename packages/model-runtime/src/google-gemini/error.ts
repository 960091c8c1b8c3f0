import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import { readObject, readObjects, readText } from '../wire/json-values.ts';
import type { ProviderFault } from '../wire/provider-error.ts';

/** Parses an error of Google's APIs: the status is a word, and the important facts are in `details`. */
export function readError(value: JsonValue): ProviderFault | null {
  const holder = Array.isArray(value) ? value[0] : value;
  const { error } = readObject(holder);
  if (!isJsonObject(error)) return null;
  const details = readObjects(error['details']);
  const status = readText(error['status']);
  const waitMs = readWait(details);
  return {
    message: withViolations(readText(error['message']), details),
    code: typeof error['code'] === 'number' ? String(error['code']) : '',
    type: getType(status, details),
    param: '',
    ...(waitMs === null ? {} : { retryAfterMs: waitMs }),
  };
}

/** "Request contains an invalid argument." says less than the details. */
function withViolations(message: string, details: readonly JsonObject[]): string {
  const said = details
    .flatMap(({ fieldViolations }) => readObjects(fieldViolations))
    .map(({ description }) => readText(description))
    .filter((text) => text !== '' && !message.includes(text));
  return [message, ...new Set(said)].join(' ').trim();
}

/** A quota per minute is a rate limit; only an exhausted daily quota counts as used up. */
function getType(status: string, details: readonly JsonObject[]): string {
  if (details.some((detail) => detail['reason'] === 'API_KEY_INVALID')) return 'invalid_api_key';
  if (status !== 'RESOURCE_EXHAUSTED') return status;
  const violations = details.flatMap((detail) => readObjects(detail['violations']));
  const isForToday = violations.some(({ quotaId }) => /PerDay/.test(readText(quotaId)));
  return isForToday ? 'insufficient_quota' : 'rate_limit';
}

function readWait(details: readonly JsonObject[]): number | null {
  for (const detail of details) {
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(readText(detail['retryDelay']))?.[1];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000);
  }
  return null;
}
