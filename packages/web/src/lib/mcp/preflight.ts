import { ApiError, api } from '../api/client.ts';
import { errorLine } from '../i18n/server-text.ts';

/**
 * Why a browser may not connect to a server (CORS), which browsers do not expose. Empty if nothing is wrong or the
 * reason is unknown.
 */
export async function adviceFor(url: string, headers: readonly string[], signal?: AbortSignal): Promise<string[]> {
  try {
    const found = await api.post('/api/mcp/preflight', { body: { url, headers: [...headers] }, signal });
    return found.problems.map(({ message }) => message);
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown.code === 'network' ? [] : [errorLine(thrown)];
    throw thrown;
  }
}
