import { createErrorInfo, say, type AnyText, type ErrorInfo } from '@toolyard/protocol';

/**
 * The error of a provider without a key; `hint` says where to set one.
 *
 * @example
 * const error = missingKeyError('Mistral', 'Set MISTRAL_API_KEY.');
 */
export function missingKeyError(server: string, hint: AnyText): ErrorInfo {
  return createErrorInfo({ code: 'invalid_key', message: say`${server} requires an API key, and none is set.`, hint });
}
