import { continuationOf } from '@toolyard/agent-host';
import type { AgentConfiguration, ContinuedConversation, Message } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { StoredConversation } from '@toolyard/storage';
import type { StartRequest } from './start-run.ts';

/** How the run is started that goes on where a branch broke off. @throws ToolyardError where nothing did */
export function continueRun(of: {
  runId: string;
  conversation: StoredConversation;
  branch: readonly Message[];
  canContinue: boolean;
  configuration?: AgentConfiguration;
}): { request: StartRequest; how: ContinuedConversation['how'] } {
  const { runId, conversation, branch, canContinue, configuration } = of;
  const { message: question, how } = continuationOf(branch, canContinue);
  const leafId = leafOf(branch, how.kind) ?? question.id;
  const parts = how.kind === 'same' ? how.parts : undefined;
  const begins = { with: 'answer' as const, leafId, ...defined({ parts }) };
  return { request: { runId, conversation, question, begins, ...defined({ configuration }) }, how: how.kind };
}

/** @throws ToolyardError `conflict` where an answer is being written, or something was said since the message `last` */
export function refuseContinue({ activeRun, leafId }: StoredConversation, last?: string): void {
  if (activeRun !== null) {
    throw new ToolyardError({
      code: 'conflict',
      message: 'An answer is being written already.',
      hint: 'Stop it first, or wait for its end.',
    });
  }
  if (last === undefined || last === leafId) return;
  throw new ToolyardError({
    code: 'conflict',
    message: 'The conversation has gone on since: this message is not the last one any more.',
    hint: 'Look at it again, then go on.',
  });
}

/** What the new message follows: an answer of which nothing is kept is answered anew beside it. */
function leafOf(branch: readonly Message[], how: ContinuedConversation['how']): string | null {
  const last = branch.at(-1);
  if (!last) return null;
  return last.role === 'assistant' && how !== 'new' ? last.parentId : last.id;
}
