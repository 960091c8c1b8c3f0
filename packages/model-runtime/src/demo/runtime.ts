import type { ChatOptions, ChatRequest, ModelRuntime, StreamPart } from '../types.ts';
import type { DemoOptions } from './types.ts';

/**
 * Creates a provider without a model: a few fixed rules that stream and call tools like a real model, so that
 * everything can be tried without a key or a network. `demo` makes native calls; `demo-text` writes calls as text,
 * which are parsed as those of any model. Answers and parser are loaded with the first request.
 *
 * @example
 * const runtime = createDemoRuntime({ clock: systemClock, newId: () => crypto.randomUUID() });
 * await using agent = await createAgent({ model: { runtime, id: 'demo' } });
 */
export function createDemoRuntime(options: DemoOptions): ModelRuntime {
  return {
    provider: 'demo',
    chat: (request, chatOptions = {}) => loadedChat(options, request, chatOptions),
    models: async ({ signal } = {}) => (await import('./models.ts')).demoModels(signal),
  };
}

async function* loadedChat(
  options: DemoOptions,
  request: ChatRequest,
  chatOptions: ChatOptions,
): AsyncGenerator<readonly StreamPart[], void, undefined> {
  const { demoChat } = await import('./chat.ts');
  yield* demoChat(options, request, chatOptions);
}
