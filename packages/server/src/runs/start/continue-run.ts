import { continuationOf } from '@toolyard/agent-host';
import type { AgentConfiguration, ContinuedConversation, Message } from '@toolyard/protocol';
import { defined, say } from '@toolyard/protocol';
import type { StoredConversation } from '@toolyard/storage';
import { createConflictError } from '../../errors.ts';
import type { StartRequest } from './start-run.ts';

/** How to start the run that continues a branch that was cut off. @throws ToolyardError if nothing was cut off */
export function continueRun(of: {
  runId: string;
  conversation: StoredConversation;
  branch: readonly Message[];
  canContinue: boolean;
  configuration?: AgentConfiguration;
  /** The agent that answers, instead of the conversation's. */
  agentId?: string;
}): { request: StartRequest; how: ContinuedConversation['how'] } {
  const { runId, conversation, branch, canContinue, configuration, agentId } = of;
  const { message: userMessage, how } = continuationOf(branch, canContinue);
  const leafId = findLeaf(branch, how.kind) ?? userMessage.id;
  const parts = how.kind === 'same' ? how.parts : undefined;
  const begins = { with: 'answer' as const, leafId, ...defined({ parts }) };
  return {
    request: { runId, conversation, userMessage, begins, ...defined({ configuration, agentId }) },
    how: how.kind,
  };
}

/** @throws ToolyardError `conflict` if a run is in progress, or messages follow the message `last` */
export function refuseContinue({ activeRun, leafId }: StoredConversation, last?: string): void {
  if (activeRun !== null) {
    throw createConflictError(say`An answer is in progress.`, say`Stop it first, or wait until it ends.`);
  }
  if (last === undefined || last === leafId) return;
  throw createConflictError(
    say`The conversation has newer messages: this message is not the last one.`,
    say`Reload the conversation, then continue.`,
  );
}

/** Parent of the new message: an answer without kept content is regenerated on another branch. */
function findLeaf(branch: readonly Message[], how: ContinuedConversation['how']): string | null {
  const last = branch.at(-1);
  if (!last) return null;
  return last.role === 'assistant' && how !== 'new' ? last.parentId : last.id;
}
