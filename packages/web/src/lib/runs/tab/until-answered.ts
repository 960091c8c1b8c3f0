import type { Clock } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import { ApiError } from '../../api/error.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 10_000;
/** Errors after which a request is sent again, besides those of a server. */
const RETRYABLE_STATUS = new Set([0, 401, 429]);

/**
 * Sends a repeatable request until the server has answered it.
 *
 * @throws ApiError that a repetition would not change
 */
export async function untilAnswered<T>(clock: Pick<Clock, 'after'>, send: () => Promise<T>): Promise<T> {
  for (let ms = FIRST_DELAY_MS; ; ms = Math.min(MAX_DELAY_MS, ms * 2)) {
    try {
      return await send();
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      if (thrown.status < 500 && !RETRYABLE_STATUS.has(thrown.status)) throw thrown;
      await new Promise<void>((resolve) => void clock.after(ms, resolve));
    }
  }
}

/** The same for a caller that knows no HTTP. @throws ToolyardError with the reason of the server */
export async function answered<T>(clock: Pick<Clock, 'after'>, send: () => Promise<T>): Promise<T> {
  try {
    return await untilAnswered(clock, send);
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    const { code, message, hint, templates } = thrown;
    throw new ToolyardError({ code, message, ...defined({ hint, templates }) });
  }
}
