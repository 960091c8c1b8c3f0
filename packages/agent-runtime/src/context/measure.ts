import type { ContextFill, Message, ToolDefinition } from '@toolyard/protocol';
import { tokensOf, tokensOfTools } from './estimate-tokens.ts';
import { isSummary } from './compaction.ts';

/** What is assumed of a model that does not say how much it can take, in tokens. */
export const ASSUMED_WINDOW = 128_000;

/** From this share of the window on the conversation is summed up. */
const FULL = 0.8;

/**
 * True where the next request would nearly fill the window. What would be sent is only looked at where no model has told
 * how much the conversation is.
 */
export function isNearlyFull(of: {
  conversation: readonly Message[];
  sent: () => readonly Message[];
  tools: () => readonly ToolDefinition[];
  window: number | undefined;
}): boolean {
  const most = (of.window ?? ASSUMED_WINDOW) * FULL;
  const tokens = told(of.conversation);
  if (tokens !== null) return tokens >= most;
  return of.sent().reduce((sum, message) => sum + tokensOf(message), tokensOfTools(of.tools())) >= most;
}

/**
 * How full a request makes the window. What the model told of its last request counts for all that was in it; only what
 * came since is estimated.
 */
export function measureContext(of: {
  /** The branch as it is stored. */
  conversation: readonly Message[];
  /** What is sent of it. */
  sent: readonly Message[];
  tools: readonly ToolDefinition[];
  window: number | undefined;
}): ContextFill {
  const { conversation, sent, tools, window } = of;
  const parts = { instructions: 0, tools: tokensOfTools(tools), results: 0, messages: 0 };
  for (const message of sent) {
    const tokens = tokensOf(message);
    if (message.role === 'system') parts.instructions += tokens;
    else if (message.role === 'tool') parts.results += tokens;
    else parts.messages += tokens;
  }
  const estimated = parts.instructions + parts.tools + parts.results + parts.messages;
  const tokens = told(conversation) ?? estimated;
  const scale = estimated === 0 ? 1 : tokens / estimated;
  return {
    tokens,
    window: window ?? ASSUMED_WINDOW,
    ...(window === undefined ? { assumed: true as const } : {}),
    parts: {
      instructions: Math.round(parts.instructions * scale),
      tools: Math.round(parts.tools * scale),
      results: Math.round(parts.results * scale),
      messages: Math.round(parts.messages * scale),
    },
  };
}

/** By the last usage a model told since the last summary; null where there is none. */
function told(conversation: readonly Message[]): number | null {
  let since = 0;
  for (let at = conversation.length - 1; at >= 0; at--) {
    const message = conversation[at];
    if (!message) continue;
    if (isSummary(message)) return null;
    if (message.role === 'assistant' && message.usage?.inputTokens !== undefined) {
      const { inputTokens, outputTokens = tokensOf(message), reasoningTokens = 0 } = message.usage;
      return inputTokens + Math.max(0, outputTokens - reasoningTokens) + since;
    }
    since += tokensOf(message);
  }
  return null;
}
