import { defined } from '@toolyard/protocol';
import type { CallOptions, GeneratedObject, ModelRuntime, ObjectRequest } from './types.ts';

/**
 * The same runtime with another `chat`, for wrappers that count, trace or limit requests.
 *
 * @example
 * let requests = 0;
 * const counting = withChat(runtime, (request, options) => {
 *   requests += 1;
 *   return runtime.chat(request, options);
 * });
 */
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

/**
 * Generates an object by chat requests of this runtime, so that a wrapper sees each of them. Loaded on demand, because the
 * schema validator is large.
 *
 * @example
 * const schema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] };
 * const { object } = await generateObjectByChat(runtime, { model: 'qwen3', messages, name: 'invoice', schema });
 */
export async function generateObjectByChat(
  runtime: Pick<ModelRuntime, 'chat' | 'provider' | 'label'>,
  request: ObjectRequest,
  options?: CallOptions,
): Promise<GeneratedObject> {
  const { generateObject } = await import('./object/generate-object.ts');
  return generateObject(runtime, request, options);
}
