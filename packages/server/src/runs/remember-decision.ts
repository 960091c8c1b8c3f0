import type { InterruptAnswer, Principal, StoredInterrupt } from '@toolyard/protocol';
import type { PermissionRepository } from '@toolyard/storage';

/** Stores a decision about a tool that reaches beyond the one call. */
export async function rememberDecision(
  permissions: PermissionRepository,
  principal: Principal,
  { interrupt: { tool }, conversationId }: StoredInterrupt,
  answer: InterruptAnswer,
  at: number,
): Promise<void> {
  if (answer.decision === 'approve' && answer.scope !== 'once') {
    const where = answer.scope === 'conversation' ? conversationId : null;
    await permissions.set(principal, { tool, conversationId: where, decision: 'allow', at });
  }
  if (answer.decision === 'refuse' && answer.scope === 'always') {
    await permissions.set(principal, { tool, conversationId: null, decision: 'never', at });
  }
}
