import type { Clock, Fetch, IdSource } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { ModelInfo, ModelRuntime, WireName } from '@toolyard/model-runtime';
import { createDemoRuntime, createModelRuntime } from '@toolyard/model-runtime';

/**
 * The model to use: one at a base URL with the API format `wire` (default: OpenAI Chat Completions), the built-in demo,
 * or one of an existing runtime. `knownModels`: what a detection has read of the server's models.
 */
export type ModelChoice =
  | { baseUrl: string; apiKey?: string; id: string; wire?: WireName; knownModels?: readonly ModelInfo[] }
  | { demo: true; id?: 'demo' | 'demo-text' }
  | { runtime: ModelRuntime; id: string; knownModels?: readonly ModelInfo[] };

/** `knownModels`: what the server has reported about its models. */
export type ResolvedModel = { runtime: ModelRuntime; id: string; knownModels: readonly ModelInfo[] };

/** The runtime and name of the chosen model. Throws a ToolyardError `bad_config` for an invalid URL. */
export function resolveModel(
  choice: ModelChoice,
  platform: { clock: Clock; ids: IdSource; fetch: Fetch },
): ResolvedModel {
  if ('runtime' in choice) return { knownModels: [], ...choice };
  const { clock, ids, fetch } = platform;
  const newId = (): string => ids.next();
  if ('demo' in choice)
    return { runtime: createDemoRuntime({ clock, newId }), id: choice.id ?? 'demo', knownModels: [] };
  const { baseUrl, apiKey, id, wire = 'openai-chat', knownModels = [] } = choice;
  const runtime = createModelRuntime({
    wire,
    baseUrl,
    fetch,
    clock,
    newId,
    ...defined({ apiKey, knownModels }),
  });
  return { runtime, id, knownModels };
}
