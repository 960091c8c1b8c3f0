import { throwIfAborted } from '../abort.ts';
import { withCallbacks } from '../chat-callbacks.ts';
import type { CallOptions, ChatOptions, ChatRequest, ModelInfo, ModelRuntime, StreamPart } from '../types.ts';
import { DEMO_MODELS } from './models.ts';
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
  return new DemoRuntime(options);
}

class DemoRuntime implements ModelRuntime {
  readonly provider = 'demo';
  readonly #options: DemoOptions;

  constructor(options: DemoOptions) {
    this.#options = options;
  }

  chat(request: ChatRequest, options: ChatOptions = {}): AsyncIterable<readonly StreamPart[]> {
    const answer = this.#stream(request, options);
    return options.callback === undefined ? answer : withCallbacks(answer, options.callback);
  }

  async *#stream(request: ChatRequest, options: CallOptions): AsyncGenerator<readonly StreamPart[], void, undefined> {
    throwIfAborted(options.signal);
    const { demoChat } = await import('./chat.ts');
    yield* demoChat(this.#options, request, options);
  }

  async models(options: CallOptions = {}): Promise<ModelInfo[]> {
    throwIfAborted(options.signal);
    return DEMO_MODELS.map((model) => ({ ...model }));
  }
}
