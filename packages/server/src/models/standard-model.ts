import type { ModelReference, ModelView } from '@toolyard/protocol';
import { DEMO } from './demo-provider.ts';

/** Names of models that clearly do not chat. Used only to choose a default; any model can be selected. */
const NO_CHAT = /embed|rerank|whisper|transcri|tts|speech|audio|realtime|dall-e|image|sora|moderation|davinci|babbage/i;

/** The default model of new conversations: the first real model that can chat, else the demo. */
export function standardModel(models: readonly ModelView[]): ModelReference {
  const real = models.filter(({ providerId }) => providerId !== DEMO.id);
  const first = real.find(({ modelId }) => !NO_CHAT.test(modelId)) ?? real[0];
  return first === undefined
    ? { providerId: DEMO.id, modelId: 'demo' }
    : { providerId: first.providerId, modelId: first.modelId };
}
