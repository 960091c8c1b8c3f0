import { z } from 'zod';
import { jsonObject, named, timestamp, toolAnnotations, toolReference } from './common.ts';
import { examples, modelParameters } from './configuration.ts';
import { message } from './messages.ts';
import { contextFill } from './runs.ts';

const toolDefinition = z.strictObject({
  tool: toolReference,
  /** The model-facing name; only ToolIndex makes these. */
  name: z.string(),
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  /** JSON Schema of the arguments; its top level is always an object. */
  inputSchema: jsonObject,
  outputSchema: jsonObject.exactOptional(),
  annotations: toolAnnotations.exactOptional(),
  /** True for what Toolyard itself ships and registers, whatever the server calls itself. */
  builtIn: z.boolean(),
});
/** A tool as a model is told of it. */
export type ToolDefinition = z.output<typeof toolDefinition>;

export const requestPrelude = named(
  'RequestPrelude',
  z.strictObject({
    /** The owner's own, with their placeholders. */
    instructions: z.string(),
    /** What servers say about their tools. */
    serverInstructions: z.array(z.strictObject({ serverId: z.string(), text: z.string() })),
    tools: z.array(toolDefinition),
    historyMessages: z.int().exactOptional(),
    inputTemplate: z.string().exactOptional(),
    examples: examples.exactOptional(),
  }),
);
/** What goes along with many requests and changes seldom. */
export type RequestPrelude = z.output<typeof requestPrelude>;

export const sentRequest = named(
  'SentRequest',
  z.strictObject({
    model: z.string(),
    toolChoice: z.enum(['auto', 'none']),
    toolMode: z.enum(['native', 'text']),
    parameters: modelParameters,
    /** When the request was put together, in milliseconds since 1970: what stands for the date is of then. */
    at: timestamp,
    fill: contextFill,
    messages: z.array(message),
    /** Null where they were not kept. */
    tools: z.array(toolDefinition).nullable(),
    continues: z.boolean(),
  }),
);
/** What a model was sent, as its wire was given it; the last message is the beginning of the answer if `continues`. */
export type SentRequest = z.output<typeof sentRequest>;
