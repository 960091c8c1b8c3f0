import { createApiClient } from '@toolyard/protocol';

/** The typed client of the API at an address that is known later; a status that is not a success is an error. */
export function apiAt(url: () => string) {
  return createApiClient<object>({
    async send(path, init) {
      const response = await fetch(`${url()}${path}`, init);
      const text = await response.text();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
      return text;
    },
    createUnreadableError: (path) => new Error(path),
  });
}
