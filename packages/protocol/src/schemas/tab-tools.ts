import { z } from 'zod';
import { callToolFacts } from './call-tool-facts.ts';
import { errorInfo, jsonObject, namedObject, toolReference } from './common.ts';
import { textCall, toolResult } from './parts.ts';
import { requestPrelude, toolDefinition } from './sent-requests.ts';

const fence = z.int().positive();

const judgedCall = z.strictObject({
  tool: toolReference,
  arguments: jsonObject,
  /** Set if the model wrote the call as text. */
  textCall: textCall.exactOptional(),
});
/** A call as it is judged: what it would do, not which call it is. */
export type JudgedCall = z.output<typeof judgedCall>;

const callVerdict = z.discriminatedUnion('decision', [
  z.strictObject({ decision: z.literal('run') }),
  z.strictObject({ decision: z.literal('ask'), about: callToolFacts.exactOptional() }),
  z.strictObject({ decision: z.literal('refused'), refusal: errorInfo }),
]);
/** What the policy of the server says about a call. */
export type CallVerdict = z.output<typeof callVerdict>;

export const readTabToolsBody = namedObject('ReadTabTools', {
  fence,
  calls: z.array(judgedCall).max(1_000),
  /** The version of the tools that the tab has. */
  known: z.string().exactOptional(),
});
export type ReadTabTools = z.output<typeof readTabToolsBody>;

const listedTools = z.strictObject({
  tools: z.array(toolDefinition),
  ...requestPrelude.pick({ serverInstructions: true, skills: true }).shape,
});
/** The tools that the server has for a run in a tab, and what goes with them into a request to the model. */
export type ListedTools = z.output<typeof listedTools>;

export const tabRunTools = namedObject('TabRunTools', {
  /** Hash of `listed`. */
  version: z.string(),
  /** Null if the tab has this version. */
  listed: listedTools.nullable(),
  /** Of the calls of the request, in their order. */
  verdicts: z.array(callVerdict),
});
export type TabRunTools = z.output<typeof tabRunTools>;

export const makeTabToolCallBody = namedObject('MakeTabToolCall', { fence });

export const madeTabToolCall = namedObject('MadeTabToolCall', { result: toolResult.nullable() });
/** `result` null: the call takes longer; send the request again. */
export type MadeTabToolCall = z.output<typeof madeTabToolCall>;
