import { createErrorInfo, say, type ErrorInfo } from '@toolyard/protocol';
import type { ProviderFault } from './error-body.ts';

/** How often a server that is loading is asked, and for how long. Large models take minutes. */
export const LOADING_POLL_MS = 1_000;
export const MAX_LOADING_MS = 600_000;

/**
 * True if a server says that its model is not loaded yet: status 503 with the type that llama.cpp uses for this, or a
 * message that names the loading. It is neither busy nor missing, and answers when it has loaded.
 */
export function isLoading(status: number, { type, message }: Pick<ProviderFault, 'type' | 'message'>): boolean {
  return status === 503 && (/\bunavailable_error\b/.test(type) || /\bloading\b/i.test(message));
}

/**
 * The state of a detected server that is loading.
 *
 * @example
 * const error = loadingError({ label: 'llama.cpp', baseUrl: 'http://127.0.0.1:8080' });
 */
export function loadingError({ label, baseUrl }: { label: string; baseUrl: string }): ErrorInfo {
  return createErrorInfo({
    code: 'overloaded',
    message: say`${label} on port ${new URL(baseUrl).port} is loading its model.`,
    hint: say`Wait until it has loaded; large models take minutes.`,
    retryable: true,
  });
}
