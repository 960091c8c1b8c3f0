import type { Executor } from '@toolyard/agent-runtime';

/** Makes the conversation shorter for the model. */
export function createCompressContext(): Executor<'compress_context'> {
  return ({ continues }, state) => ({ state, context: { phase: 'compressed', ...(continues ? { continues } : {}) } });
}
