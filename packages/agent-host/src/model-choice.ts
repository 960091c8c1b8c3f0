import type { Clock, Fetch, IdSource } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { ModelRuntime, WireName } from '@toolyard/model-runtime';
import { createDemoRuntime, createModelRuntime } from '@toolyard/model-runtime';

/**
 * Which model answers: one behind an address that speaks `wire` (OpenAI's chat completions unless another is named), the
 * built-in demo, or one of a runtime made elsewhere.
 */
export type ModelChoice =
  | { baseUrl: string; apiKey?: string; id: string; wire?: WireName }
  | { demo: true; id?: 'demo' | 'demo-text' }
  | { runtime: ModelRuntime; id: string };

/** The runtime and the name of the model that was chosen. Throws ToolyardError `bad_config` for a bad address. */
export function resolveModel(
  choice: ModelChoice,
  platform: { clock: Clock; ids: IdSource; fetch: Fetch },
): { runtime: ModelRuntime; id: string } {
  if ('runtime' in choice) return choice;
  const { clock, ids, fetch } = platform;
  const newId = (): string => ids.next();
  if ('demo' in choice) return { runtime: createDemoRuntime({ clock, newId }), id: choice.id ?? 'demo' };
  const { baseUrl, apiKey, id, wire = 'openai-chat' } = choice;
  const runtime = createModelRuntime({
    wire,
    baseUrl,
    fetch,
    clock,
    newId,
    ...defined({ apiKey }),
  });
  return { runtime, id };
}
