import type { AgentConfiguration, Owner, ToolReference } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';

/** The conversation of a run that no user starts on the page. */
export type NewConversation = {
  /** Determined by what starts the run, so that an attempt after a crash finds the conversation of the first one. */
  id: string;
  title: string;
  agentId: string | null;
  configuration?: AgentConfiguration;
  /** Tools that the run may call without approval, while their definitions do not change. */
  allowedTools?: readonly ToolReference[];
  at: number;
};

/** Creates a conversation, unless an earlier attempt or another process has created it. */
export async function ensureConversation(
  principal: Owner,
  { id, title, agentId, configuration, allowedTools = [], at }: NewConversation,
  { conversations, permissions }: Pick<SharedStorage, 'conversations' | 'permissions'>,
): Promise<void> {
  const agent = agentId === null ? {} : { agentId };
  await conversations.create(principal, { id, title, at, ...agent, ...defined({ configuration }) });
  // Pinned definitions apply: a tool that has changed since it was approved needs approval again.
  for (const tool of allowedTools) {
    await permissions.set(principal, { tool, conversationId: id, decision: 'allow', at });
  }
}
