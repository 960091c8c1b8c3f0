import type {
  AgentConfiguration,
  AgentView,
  ModelReference,
  ResolvedAgentConfiguration,
  SettingsView,
} from '@toolyard/protocol';
import { z } from 'zod';
import {
  agentConfigurationSchema,
  budgets,
  examples,
  INTERVENTION_MODES,
  interventionRules,
} from '../../config/agent-configuration.ts';
import { jsonObject, jsonValue, named, newId, pageOf, price, time, title } from './common.ts';
import { exactly } from './exactly.ts';

export const agentConfiguration = named('AgentConfiguration', exactly<AgentConfiguration>()(agentConfigurationSchema));

export const modelReference = named(
  'ModelReference',
  exactly<ModelReference>()(z.strictObject({ providerId: z.string().min(1), modelId: z.string().min(1) })),
);

export const modelParameters = z.strictObject({
  temperature: z.number().exactOptional(),
  topP: z.number().exactOptional(),
  topK: z.number().exactOptional(),
  maxOutputTokens: z.number().exactOptional(),
  presencePenalty: z.number().exactOptional(),
  frequencyPenalty: z.number().exactOptional(),
  stop: z.array(z.string()).exactOptional(),
  seed: z.number().exactOptional(),
  reasoningEffort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).exactOptional(),
  extra: jsonObject.exactOptional(),
});

export const resolvedConfiguration = named(
  'ResolvedAgentConfiguration',
  exactly<ResolvedAgentConfiguration>()(
    z.strictObject({
      model: modelReference.nullable(),
      instructions: z.string(),
      parameters: modelParameters,
      limits: z.strictObject({
        maxTurns: z.number(),
        onMaxTurns: z.enum(['answer', 'error']),
        maxWallTimeMs: z.number().exactOptional(),
        price: price.exactOptional(),
        toolConcurrency: z.number(),
        maxSameCall: z.number(),
      }),
      toolMode: z.enum(['native', 'text']),
      servers: z.record(z.string(), z.boolean()),
      disabledTools: z.array(z.string()),
      historyMessages: z.int().exactOptional(),
      inputTemplate: z.string().exactOptional(),
      examples: examples.exactOptional(),
      intervention: z.enum(INTERVENTION_MODES),
      interventionRules,
      lostRules: z.literal(true).exactOptional(),
      budgets,
    }),
  ),
);

export const agentView = named(
  'AgentView',
  exactly<AgentView>()(
    z.strictObject({
      id: z.string(),
      title: z.string(),
      configuration: agentConfiguration,
      version: z.int(),
      createdAt: time,
      updatedAt: time,
    }),
  ),
);
export const agentPage = pageOf('AgentPage', agentView);

export const createAgent = named(
  'CreateAgent',
  z.strictObject({
    id: newId.exactOptional(),
    title: title.min(1),
    configuration: agentConfiguration.exactOptional(),
  }),
);
export const changeAgent = named(
  'ChangeAgent',
  z.strictObject({
    version: z.int().positive().describe('The one that was seen: an older one is refused'),
    title: title.min(1).exactOptional(),
    configuration: agentConfiguration.exactOptional(),
  }),
);

export const settingsView: z.ZodType<SettingsView> = named(
  'SettingsView',
  z.object({ defaults: agentConfiguration }).catchall(z.union([jsonValue, agentConfiguration])),
);
