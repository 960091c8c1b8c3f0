import type { JsonObject } from './json.ts';
import type { ToolReference } from './tools.ts';

/** Something a person must answer before the run goes on. Other kinds join this union as they are built. */
export type Interrupt = ApprovalInterrupt | InDoubtInterrupt;

/** May this call be made? The arguments shown are the arguments that will run. */
export type ApprovalInterrupt = {
  id: string;
  kind: 'approval';
  callId: string;
  tool: ToolReference;
  name: string;
  arguments: JsonObject;
};

/**
 * This call was sent, and the process died before an answer was stored: nobody can say whether it took effect. It is
 * not made again unless the person says so.
 */
export type InDoubtInterrupt = {
  id: string;
  kind: 'in_doubt';
  callId: string;
  tool: ToolReference;
  name: string;
  arguments: JsonObject;
  /** When it was sent, in milliseconds since 1970. */
  sentAt: number;
};

/**
 * For how long a decision about a tool counts: this one call, every call in this conversation, every call from now on.
 */
export type ApprovalScope = 'once' | 'conversation' | 'always';

/** `refuse` with scope `always` is "never": the tool is not asked about again, and not run. */
export type ApprovalAnswer =
  { decision: 'approve'; scope: ApprovalScope } | { decision: 'refuse'; scope?: 'once' | 'always'; reason?: string };

/**
 * - `repeat`: make the call again
 * - `failed`: it did not take effect; the model is told that it failed
 * - `result`: it did, and this is what came of it
 */
export type InDoubtAnswer = { decision: 'repeat' } | { decision: 'failed' } | { decision: 'result'; text: string };

/** What a person said to an interrupt; which ones fit, its kind says. */
export type InterruptAnswer = ApprovalAnswer | InDoubtAnswer;

const DECISIONS: Record<Interrupt['kind'], readonly InterruptAnswer['decision'][]> = {
  approval: ['approve', 'refuse'],
  in_doubt: ['repeat', 'failed', 'result'],
};

/** The decisions an interrupt of this kind takes. */
export function decisionsFor(kind: Interrupt['kind']): readonly InterruptAnswer['decision'][] {
  return DECISIONS[kind];
}
