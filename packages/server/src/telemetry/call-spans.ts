import type { ChatRequest, StreamPart } from '@toolyard/model-runtime';
import type { Clock, Price } from '@toolyard/protocol';
import { costOf, defined } from '@toolyard/protocol';
import type { Span } from './otlp-exporter.ts';
import type { Attributes } from './span-attributes.ts';
import {
  requestAttributes,
  usageAttributes,
  providerName,
  truncateText,
  spanIdOf,
  traceIdOf,
} from './span-attributes.ts';

/** A single call of a model, made for somebody outside. */
export type ApiChatCall = {
  /** Of its answer. */
  id: string;
  providerId: string;
  request: Pick<ChatRequest, 'model' | 'parameters'>;
  price?: Price;
  /** The run of a tab it is made for: its calls are one trace. */
  runId?: string;
};

export type CallSpansOptions = { add: (span: Span) => void; content: boolean; clock: Pick<Clock, 'now'> };

/** Makes a span of each model call that belongs to no run of this server, in the words of those that do. */
export class CallSpans {
  readonly #options: CallSpansOptions;

  constructor(options: CallSpansOptions) {
    this.#options = options;
  }

  /** The same parts; the span is made at their end, also where nobody reads them to it. */
  async *watch(
    call: ApiChatCall,
    batches: AsyncIterable<readonly StreamPart[]>,
  ): AsyncGenerator<readonly StreamPart[], void, undefined> {
    const { clock, content } = this.#options;
    const startedAt = clock.now();
    const told: Attributes = {};
    let text = '';
    let error: string | undefined = 'cancelled';
    try {
      for await (const batch of batches) {
        for (const part of batch) {
          if (part.type === 'text' && content) text += part.text;
          if (part.type === 'usage') Object.assign(told, usageAttributes(part.usage), ofCost(part, call.price));
          if (part.type === 'error') error = part.error.code;
          if (part.type !== 'finish') continue;
          error = undefined;
          told['gen_ai.response.finish_reasons'] = [part.reason];
        }
        yield batch;
      }
    } finally {
      if (content)
        told['gen_ai.output.messages'] = truncateText([{ role: 'assistant', parts: [{ type: 'text', text }] }]);
      this.#end(call, startedAt, told, error);
    }
  }

  #end(call: ApiChatCall, startedAt: number, told: Attributes, error: string | undefined): void {
    const { id, providerId, request, runId } = call;
    this.#options.add({
      traceId: traceIdOf(runId ?? id),
      spanId: spanIdOf(`call ${id}`),
      name: `chat ${request.model}`,
      kind: 'client',
      startedAt,
      endedAt: this.#options.clock.now(),
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': providerName(providerId),
        ...requestAttributes(request),
        'gen_ai.response.id': id,
        ...defined({ 'toolyard.run.id': runId }),
        ...told,
        ...defined({ 'error.type': error }),
      },
      ...defined({ error }),
    });
  }
}

function ofCost({ usage, cost: told }: Extract<StreamPart, { type: 'usage' }>, price: Price | undefined): Attributes {
  const cost = (price && costOf(usage, price)) ?? told;
  return cost === undefined ? {} : { 'toolyard.cost.usd': cost };
}
