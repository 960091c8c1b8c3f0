import type { ModelReply } from '@toolyard/testing';

/** Input tokens are powers of two, and sums of so many are exact. */
const MOST_TOLD = 50;

/**
 * The token usage a model server tells. Of each conversation the nth request costs 2^n input tokens and one output token,
 * so that a stored sum says which answers were counted, and an answer counted twice is noticed.
 */
export class ModelUsage {
  /** Requests by conversation. */
  readonly requests = new Map<string, number>();

  /** The reply to the next request of a conversation, with its usage. */
  reply(conversationId: string, reply: ModelReply): ModelReply {
    const index = this.requests.get(conversationId) ?? 0;
    this.requests.set(conversationId, index + 1);
    return index < MOST_TOLD ? withUsage(reply, 2 ** index) : reply;
  }
}

function withUsage(reply: ModelReply, inputTokens: number): ModelReply {
  const usage = { prompt_tokens: inputTokens, completion_tokens: 1 };
  const chunk = { id: 'usage', object: 'chat.completion.chunk', created: 0, model: 'scripted', choices: [], usage };
  // The last write is [DONE].
  return { ...reply, writes: reply.writes.toSpliced(-1, 0, Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`)) };
}
