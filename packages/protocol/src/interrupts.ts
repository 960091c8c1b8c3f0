import type { Interrupt, InterruptAnswer } from './schemas/runs.ts';

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
