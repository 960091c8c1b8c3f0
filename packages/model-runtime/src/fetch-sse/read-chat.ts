import type { ErrorInfo, Clock, Fetch } from '@toolyard/protocol';
import { createErrorInfo, isAbortError, systemClock, toErrorInfo, say } from '@toolyard/protocol';
import { throwIfAborted } from '../abort.ts';
import type { StreamPart } from '../types.ts';
import { CallGuard, IdleTimeoutError, type BodyReader } from '../wire/call-guard.ts';
import { readBounded } from '../wire/endpoint.ts';
import { releaseBody } from '../wire/event-stream.ts';
import { toNetworkError } from '../wire/network-error.ts';
import { AnswerReader, streamInterrupted, responseError } from './answer-reader.ts';

export type ReadChatOptions = {
  fetch: Fetch;
  clock?: Clock | undefined;
  signal?: AbortSignal | undefined;
  /** Timeout in milliseconds without data, default 60,000: the server sends a byte at least every 15 s. */
  idleTimeoutMs?: number | undefined;
};

/**
 * Sends a request to `/webapi/chat` and yields the answer: one batch of parts per network read, never empty. The last
 * part is `finish` or `error`; throws only AbortError.
 */
export async function* readChat(
  url: string,
  init: RequestInit,
  options: ReadChatOptions,
): AsyncGenerator<readonly StreamPart[], void, undefined> {
  const { fetch, clock = systemClock, signal, idleTimeoutMs = 60_000 } = options;
  throwIfAborted(signal);
  const server = URL.canParse(url) ? new URL(url).origin : 'this server';
  const guard = new CallGuard({ clock, idleTimeoutMs, signal });
  let reader: BodyReader | null = null;
  let complete = false;
  try {
    let response: Response;
    try {
      response = await guard.wait(fetch(url, { ...init, signal: guard.signal }));
    } catch (thrown) {
      if (guard.stopped !== null) throw guard.stopped;
      yield [{ type: 'error', error: toNetworkError(thrown, url) }];
      return;
    }
    if (!response.ok || response.body === null) {
      const body = await readBounded(response, guard);
      yield [{ type: 'error', error: responseError(body, response.status, server) }];
      return;
    }
    reader = response.body.getReader();
    const answer = new AnswerReader(server);
    while (!answer.ended) {
      const out: StreamPart[] = [];
      try {
        const bytes = await guard.read(reader);
        if (bytes === null) answer.end(out);
        else answer.push(bytes, out);
        complete = answer.ended;
      } catch {
        if (guard.stopped !== null && isAbortError(guard.stopped)) throw guard.stopped;
        answer.fail(guard.stopped === null ? streamInterrupted(server) : idleTimeout(server, idleTimeoutMs), out);
      }
      if (out.length > 0) yield out;
    }
  } catch (thrown) {
    if (isAbortError(thrown)) throw thrown;
    const error = thrown instanceof IdleTimeoutError ? idleTimeout(server, idleTimeoutMs) : toErrorInfo(thrown);
    yield [{ type: 'error', error }];
  } finally {
    guard.dispose();
    if (reader !== null) releaseBody(reader, complete, clock);
  }
}

function idleTimeout(server: string, ms: number): ErrorInfo {
  return createErrorInfo({
    code: 'timed_out',
    message: say`${server} sent no data for ${Math.round(ms / 1000)} s.`,
    hint: 'Check the connection and try again.',
    retryable: true,
  });
}
