import type { JsonObject } from './json.ts';
import type { ToolReference } from './tools.ts';

/** Something a person must answer before the run goes on. Other kinds join this union as they are built. */
export type Interrupt = ApprovalInterrupt;

/** May this call be made? The arguments shown are the arguments that will run. */
export type ApprovalInterrupt = {
  id: string;
  kind: 'approval';
  callId: string;
  tool: ToolReference;
  name: string;
  arguments: JsonObject;
};

/** `conversation`: the same tool need not be asked about again in this conversation. */
export type ApprovalAnswer =
  { decision: 'approve'; scope: 'once' | 'conversation' } | { decision: 'refuse'; reason?: string };
