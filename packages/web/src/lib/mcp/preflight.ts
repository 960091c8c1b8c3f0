import { ApiError, api } from '../api/client.ts';

/**
 * Why a browser may not speak with a server: browsers themselves say nothing but that it failed. Empty where nothing
 * is in the way, or nobody can tell.
 */
export async function adviceFor(url: string, headers: readonly string[], signal?: AbortSignal): Promise<string[]> {
  try {
    const found = await api.post('/api/mcp/preflight', { body: { url, headers: [...headers] }, signal });
    return found.problems.map(({ message }) => message);
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown.code === 'network' ? [] : [thrown.message];
    throw thrown;
  }
}
