import type { AgentConfiguration, JsonObject } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { z } from 'zod';
import { jsonObject } from '../http/schemas/common.ts';

const count = z.int().positive();

/** What the owner writes into the configuration file: whatever is unknown or wrong is told. */
export const agentConfigurationSchema = z.strictObject({
  model: z.strictObject({ providerId: z.string().min(1), modelId: z.string().min(1) }).exactOptional(),
  instructions: z.string().exactOptional(),
  parameters: z
    .strictObject({
      temperature: z.number().nonnegative().exactOptional(),
      topP: z.number().min(0).max(1).exactOptional(),
      topK: count.exactOptional(),
      maxOutputTokens: count.exactOptional(),
      presencePenalty: z.number().exactOptional(),
      frequencyPenalty: z.number().exactOptional(),
      stop: z.array(z.string()).exactOptional(),
      seed: z.int().exactOptional(),
      reasoningEffort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).exactOptional(),
      extra: jsonObject.exactOptional(),
    })
    .exactOptional(),
  limits: z
    .strictObject({
      maxTurns: count.exactOptional(),
      onMaxTurns: z.enum(['answer', 'error']).exactOptional(),
      maxWallTimeMs: count.exactOptional(),
      maxCost: z.number().positive().exactOptional(),
      toolConcurrency: count.exactOptional(),
      maxSameCall: count.exactOptional(),
    })
    .exactOptional(),
  toolMode: z.enum(['native', 'text']).exactOptional(),
  servers: z.record(z.string(), z.boolean()).exactOptional(),
  disabledTools: z.array(z.string()).exactOptional(),
  intervention: z.enum(['manual', 'headless']).exactOptional(),
}) satisfies z.ZodType<AgentConfiguration>;

/** What was stored at some time, by whatever version: what cannot be read counts as not said. */
export function readStoredConfiguration(stored: unknown): AgentConfiguration {
  const rest: JsonObject = isJsonObject(stored) ? structuredClone(stored) : {};
  for (;;) {
    const read = agentConfigurationSchema.safeParse(rest);
    if (read.success) return read.data;
    for (const issue of read.error.issues) {
      const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
      for (const key of keys) takeOut(rest, key === undefined ? issue.path : [...issue.path, key]);
    }
  }
}

/** Takes out what stands at a path, or, where it lacks something or is in a list, the whole field it is part of. */
function takeOut(configuration: JsonObject, [field, key, ...deeper]: readonly PropertyKey[]): void {
  const of = configuration[String(field)];
  if (key !== undefined && deeper.length === 0 && isJsonObject(of) && String(key) in of) delete of[String(key)];
  else delete configuration[String(field)];
}
