import type { Model } from '@mariozechner/pi-ai';

export function modelAt(baseUrl: string, id: string): Model<'openai-completions'> {
  return {
    id,
    name: id,
    api: 'openai-completions',
    provider: 'bench',
    baseUrl,
    reasoning: false,
    input: ['text'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 128_000,
    maxTokens: 4_096,
    // The default uses OpenAI-specific fields, which some local servers reject.
    compat: { supportsStore: false, supportsDeveloperRole: false },
  };
}
