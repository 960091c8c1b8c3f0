import type { ContextFill } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { ApiError } from '../api/error.ts';

/** Context usage of the last request of a run; null if unknown. */
export async function lastFill(runId: string): Promise<ContextFill | null> {
  try {
    const { items } = await api.get('/api/runs/{id}/steps', { params: { id: runId } });
    return items.findLast(({ model }) => model?.request !== undefined)?.model?.request?.fill ?? null;
  } catch (thrown) {
    if (thrown instanceof ApiError) return null;
    throw thrown;
  }
}
