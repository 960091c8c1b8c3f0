import { ApiError } from '../api/error.ts';

/** Returns an error of the API; anything else is a bug of the page and is thrown again. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  throw thrown;
}
