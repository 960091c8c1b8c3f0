import type {
  AgentConfiguration,
  AgentView,
  ModelReference,
  ResolvedAgentConfiguration,
  SettingsView,
} from '@toolyard/protocol';
import { z } from 'zod';
import { agentConfigurationSchema, budgets, examples, interventionRules } from '../../config/agent-configuration.ts';
import { resolvedFields } from '../../config/setting-fields.ts';
import { jsonValue, named, newId, pageOf, price, time, title } from './common.ts';
import { exactly } from './exactly.ts';

export const agentConfiguration = named('AgentConfiguration', exactly<AgentConfiguration>()(agentConfigurationSchema));

export const modelReference = named(
  'ModelReference',
  exactly<ModelReference>()(z.strictObject({ providerId: z.string().min(1), modelId: z.string().min(1) })),
);

export const modelParameters = z.strictObject(resolvedFields('parameters'));

export const resolvedConfiguration = named(
  'ResolvedAgentConfiguration',
  exactly<ResolvedAgentConfiguration>()(
    z.strictObject({
      model: modelReference.nullable(),
      ...resolvedFields(''),
      parameters: modelParameters,
      limits: z.strictObject({ ...resolvedFields('limits'), price: price.exactOptional() }),
      servers: z.record(z.string(), z.boolean()),
      disabledTools: z.array(z.string()),
      examples: examples.exactOptional(),
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
