import { ApiError } from '../api/error.ts';

/** What was thrown at the door of the API; anything else is a defect of the page and goes on upwards. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  throw thrown;
}
