import type { Api, RequestOptions } from '../client.ts';
import { createApiClient, isJsonObject, parseJson } from '@toolyard/protocol';
import type { JsonObject } from '@toolyard/protocol';

export type TestCall = { method: string; path: string; body?: JsonObject };

/**
 * An API client backed by a function: its return value, or what it resolves with, becomes the response; undefined is an
 * empty response.
 */
export function createTestApi(answer: (call: TestCall) => unknown): Api {
  return createApiClient<RequestOptions>({
    async send(path, { method, body }) {
      const sent = parseJson(typeof body === 'string' ? body : '');
      const answered = await answer({ method, path, ...(sent.ok && isJsonObject(sent.value) && { body: sent.value }) });
      return answered === undefined ? '' : JSON.stringify(answered);
    },
    createUnreadableError: (path) => new Error(`${path}: not JSON`),
  });
}
