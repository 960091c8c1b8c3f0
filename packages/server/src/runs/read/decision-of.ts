import type { InterruptAnswer, PermissionView, StoredInterrupt } from '@toolyard/protocol';

/** The permission that an answer sets beyond the one call; undefined if it sets none. */
export function toDecision(
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
