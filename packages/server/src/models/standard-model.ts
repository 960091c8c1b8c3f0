import type { ModelReference, ModelView } from '@toolyard/protocol';
import type { DetectedProvider } from './detected-providers.ts';
import { DEMO } from './demo-provider.ts';

/** Names of models that clearly do not chat. Used only to choose a default; any model can be selected. */
const NO_CHAT = /embed|rerank|whisper|transcri|tts|speech|audio|realtime|dall-e|image|sora|moderation|davinci|babbage/i;

/** The model of a server that loads its only one. Such servers answer any name with it, once it is loaded. */
export const LOADED_MODEL = 'default';

/**
 * The default model of new conversations. The rule: **the demo only if there is nothing else**: the first real model that
 * can chat, else that of a server that is loading it, which requests wait for.
 */
export function standardModel(
  models: readonly ModelView[],
  detected: readonly Pick<DetectedProvider, 'id' | 'isLoading'>[] = [],
): ModelReference {
  const real = models.filter(({ providerId }) => providerId !== DEMO.id);
  const first = real.find(({ modelId }) => !NO_CHAT.test(modelId)) ?? real[0];
  if (first !== undefined) return { providerId: first.providerId, modelId: first.modelId };
  const loading = detected.find(({ isLoading }) => isLoading);
  return loading === undefined
    ? { providerId: DEMO.id, modelId: 'demo' }
    : { providerId: loading.id, modelId: LOADED_MODEL };
}
