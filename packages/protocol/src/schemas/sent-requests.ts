import { z } from 'zod';
import { jsonObject, namedObject, timestamp, toolAnnotations, toolReference } from './common.ts';
import { examples, modelParameters } from './configuration.ts';
import { message } from './messages.ts';
import { contextFill } from './run-events.ts';

export const toolDefinition = z.strictObject({
  tool: toolReference,
  /** The model-facing name; only `ToolIndex` creates these. */
  name: z.string(),
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  /** JSON Schema of the arguments; its top level is always an object. */
  inputSchema: jsonObject,
  outputSchema: jsonObject.exactOptional(),
  annotations: toolAnnotations.exactOptional(),
  /** True for tools that Toolyard itself provides, whatever name a server gives itself. */
  builtIn: z.boolean(),
});
/** A tool as a model receives it. */
export type ToolDefinition = z.output<typeof toolDefinition>;

export const requestPrelude = namedObject('RequestPrelude', {
  /** The agent's instructions, with placeholders. */
  instructions: z.string(),
  /** Instructions of servers about their tools. */
  serverInstructions: z.array(z.strictObject({ serverId: z.string(), text: z.string() })),
  /** The list of skills that was sent. */
  skills: z.string().exactOptional(),
  tools: z.array(toolDefinition),
  historyMessages: z.int().exactOptional(),
  inputTemplate: z.string().exactOptional(),
  examples: examples.exactOptional(),
});
/** The parts of a request that many requests share. */
export type RequestPrelude = z.output<typeof requestPrelude>;

export const sentRequest = namedObject('SentRequest', {
  model: z.string(),
  toolChoice: z.enum(['auto', 'none']),
  toolMode: z.enum(['native', 'text']),
  parameters: modelParameters,
  /** When the request was assembled, in milliseconds since 1970; placeholders for the date use it. */
  at: timestamp,
  fill: contextFill,
  messages: z.array(message),
  /** Null if they were not stored. */
  tools: z.array(toolDefinition).nullable(),
  continues: z.boolean(),
});
/**
 * A model request as it is passed to the API format; if `continues`, the last message is the beginning of the answer.
 */
export type SentRequest = z.output<typeof sentRequest>;
