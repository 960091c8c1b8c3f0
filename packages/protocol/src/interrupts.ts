import type { TextCall } from './schemas/parts.ts';
import type { ApprovalInterrupt, Interrupt, InterruptAnswer } from './schemas/runs.ts';

const DECISIONS: Record<Interrupt['kind'], readonly InterruptAnswer['decision'][]> = {
  approval: ['approve', 'refuse'],
  in_doubt: ['repeat', 'failed', 'result'],
  elicitation: ['accept', 'decline', 'cancel'],
  sampling: ['allow', 'decline'],
  sign_in: ['signed_in', 'decline'],
  prompt: ['say', 'decline'],
  selection: ['choose', 'decline'],
  budget: ['raise', 'stop'],
  tab: ['tab_here', 'decline'],
};

/** The decisions that answer an interrupt of this kind. */
export function decisionsFor(kind: Interrupt['kind']): readonly InterruptAnswer['decision'][] {
  return DECISIONS[kind];
}

/** True if the user decides about a call of this text, whatever is allowed: data must not become a call by being copied. */
export function alwaysAsks({ copiedFrom, position, byUser }: TextCall): boolean {
  return copiedFrom !== undefined || position !== undefined || byUser === true;
}

/** True for an approval that applies to its call only: a longer one would cover calls that no user has seen. */
export function isOnceOnly(approval: Pick<ApprovalInterrupt, 'danger' | 'byRule' | 'textCall'>): boolean {
  const { danger, byRule, textCall } = approval;
  return danger !== undefined || byRule === true || (textCall !== undefined && alwaysAsks(textCall));
}
