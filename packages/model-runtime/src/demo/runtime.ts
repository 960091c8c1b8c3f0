import { throwIfAborted } from '../abort.ts';
import type { CallOptions, ChatRequest, ModelInfo, ModelRuntime, StreamPart } from '../types.ts';
import { DEMO_MODELS } from './models.ts';
import type { DemoOptions } from './types.ts';

/**
 * A provider without a model behind it: a few fixed rules that really stream and really call tools, so that everything
 * can be tried with no key and no network. `demo` calls natively, `demo-text` writes its calls as text and has them
 * read by the same parser as any model. What it says, and the parser, are loaded with its first answer.
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

  async *chat(request: ChatRequest, options: CallOptions = {}): AsyncGenerator<readonly StreamPart[], void, undefined> {
    throwIfAborted(options.signal);
    const { demoChat } = await import('./chat.ts');
    yield* demoChat(this.#options, request, options);
  }

  async models(options: CallOptions = {}): Promise<ModelInfo[]> {
    throwIfAborted(options.signal);
    return DEMO_MODELS.map((model) => ({ ...model }));
  }
}
