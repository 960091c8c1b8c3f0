import type { ContextFill, Message, ToolDefinition } from '@toolyard/protocol';
import { countTokens, tokensOfTools } from './estimate-tokens.ts';
import { isSummary } from './compaction.ts';

/** Assumed context window, in tokens, of models that do not report one. */
export const ASSUMED_WINDOW = 128_000;

/** Share of the window above which the conversation is compacted. */
const COMPACTION_THRESHOLD = 0.8;

/**
 * True if the next request would nearly fill the window. The request is estimated only if no usage was reported since
 * the last compaction.
 */
export function isNearlyFull(of: {
  conversation: readonly Message[];
  sent: () => readonly Message[];
  tools: () => readonly ToolDefinition[];
  window: number | undefined;
}): boolean {
  const most = (of.window ?? ASSUMED_WINDOW) * COMPACTION_THRESHOLD;
  const tokens = reportedTokens(of.conversation);
  if (tokens !== null) return tokens >= most;
  return of.sent().reduce((sum, message) => sum + countTokens(message), tokensOfTools(of.tools())) >= most;
}

/**
 * How much of the window a request fills. Uses the usage that the model reported for its last request, and estimates
 * only the messages after it.
 */
export function measureContext(of: {
  /** The stored branch. */
  conversation: readonly Message[];
  /** The messages that are sent. */
  sent: readonly Message[];
  tools: readonly ToolDefinition[];
  window: number | undefined;
}): ContextFill {
  const { conversation, sent, tools, window } = of;
  const parts = { instructions: 0, tools: tokensOfTools(tools), results: 0, messages: 0 };
  for (const message of sent) {
    const tokens = countTokens(message);
    if (message.role === 'system') parts.instructions += tokens;
    else if (message.role === 'tool') parts.results += tokens;
    else parts.messages += tokens;
  }
  const estimated = parts.instructions + parts.tools + parts.results + parts.messages;
  const tokens = reportedTokens(conversation) ?? estimated;
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

/** Tokens by the last reported usage since the last summary; null if no usage was reported. */
function reportedTokens(conversation: readonly Message[]): number | null {
  let since = 0;
  for (let at = conversation.length - 1; at >= 0; at--) {
    const message = conversation[at];
    if (!message) continue;
    if (isSummary(message)) return null;
    if (message.role === 'assistant' && message.usage?.inputTokens !== undefined) {
      const { inputTokens, outputTokens = countTokens(message), reasoningTokens = 0 } = message.usage;
      return inputTokens + Math.max(0, outputTokens - reasoningTokens) + since;
    }
    since += countTokens(message);
  }
  return null;
}
