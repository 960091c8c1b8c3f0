import type { ModelReference, ModelView } from '@toolyard/protocol';
import { DEMO } from './demo-provider.ts';

/** Names of models that plainly do something else than chat. Only for guessing; any model can be chosen. */
const NO_CHAT = /embed|rerank|whisper|transcri|tts|speech|audio|realtime|dall-e|image|sora|moderation|davinci|babbage/i;

/** What a new conversation uses where nobody has chosen: the first real model that can chat, else the demo. */
export function standardModel(models: readonly ModelView[]): ModelReference {
  const real = models.filter(({ providerId }) => providerId !== DEMO.id);
  const first = real.find(({ modelId }) => !NO_CHAT.test(modelId)) ?? real[0];
  return first === undefined
    ? { providerId: DEMO.id, modelId: 'demo' }
    : { providerId: first.providerId, modelId: first.modelId };
}
