import type { ModelReply } from '@toolyard/testing';

/** Input tokens are powers of two, and sums of this many are exact. */
const MOST_TOLD = 50;

/**
 * Token usage reported by a model server. The nth request of a conversation costs 2^n input tokens and one output
 * token, so that a stored sum shows which answers were counted, and duplicates are noticed.
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
  // The last chunk is [DONE].
  return { ...reply, writes: reply.writes.toSpliced(-1, 0, Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`)) };
}
