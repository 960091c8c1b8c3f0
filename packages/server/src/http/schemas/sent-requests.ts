import type { RequestPrelude, SentRequest } from '@toolyard/protocol';
import { z } from 'zod';
import { examples } from '../../config/agent-configuration.ts';
import { jsonObject, named, time, toolAnnotations, toolReference } from './common.ts';
import { modelParameters } from './configuration.ts';
import { exactly } from './exactly.ts';
import { message } from './messages.ts';
import { contextFill } from './runs.ts';

const toolDefinition = z.strictObject({
  tool: toolReference,
  name: z.string(),
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  inputSchema: jsonObject,
  outputSchema: jsonObject.exactOptional(),
  annotations: toolAnnotations.exactOptional(),
  builtIn: z.boolean(),
});

export const requestPrelude: z.ZodType<RequestPrelude> = named(
  'RequestPrelude',
  z.strictObject({
    instructions: z.string(),
    serverInstructions: z.array(z.strictObject({ serverId: z.string(), text: z.string() })),
    tools: z.array(toolDefinition),
    historyMessages: z.int().exactOptional(),
    inputTemplate: z.string().exactOptional(),
    examples: examples.exactOptional(),
  }),
);

export const sentRequest = named(
  'SentRequest',
  exactly<SentRequest>()(
    z.strictObject({
      model: z.string(),
      toolChoice: z.enum(['auto', 'none']),
      toolMode: z.enum(['native', 'text']),
      parameters: modelParameters,
      at: time,
      fill: contextFill,
      messages: z.array(message),
      tools: z.array(toolDefinition).nullable(),
      continues: z.boolean(),
    }),
  ),
);
