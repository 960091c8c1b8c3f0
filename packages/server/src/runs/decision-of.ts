import type { InterruptAnswer, PermissionView, StoredInterrupt } from '@toolyard/protocol';

/** What an answer decides about a tool beyond the one call; undefined where it is about that call alone. */
export function decisionOf(
  { interrupt, conversationId }: StoredInterrupt,
  answer: InterruptAnswer,
  at: number,
): PermissionView | undefined {
  if (interrupt.kind === 'budget') return undefined;
  const { tool } = interrupt;
  if (answer.decision === 'approve' && answer.scope !== 'once') {
    return { tool, conversationId: answer.scope === 'conversation' ? conversationId : null, decision: 'allow', at };
  }
  if (answer.decision === 'refuse' && answer.scope === 'always') {
    return { tool, conversationId: null, decision: 'never', at };
  }
  return undefined;
}
