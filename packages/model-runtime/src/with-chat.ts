import { defined } from '@toolyard/protocol';
import type { ModelRuntime } from './types.ts';

/** The same runtime with another `chat`, for wrappers that count, trace or limit requests. */
export function withChat(runtime: ModelRuntime, chat: ModelRuntime['chat']): ModelRuntime {
  return {
    provider: runtime.provider,
    ...defined({ label: runtime.label, canContinue: runtime.canContinue }),
    chat,
    models: (options) => runtime.models(options),
    ...defined({
      embeddings: runtime.embeddings?.bind(runtime),
      createImage: runtime.createImage?.bind(runtime),
      textToSpeech: runtime.textToSpeech?.bind(runtime),
      transcribe: runtime.transcribe?.bind(runtime),
      generateObject: runtime.generateObject?.bind(runtime),
    }),
  };
}
