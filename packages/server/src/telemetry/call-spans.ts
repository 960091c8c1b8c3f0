import type { ChatRequest, StreamPart } from '@toolyard/model-runtime';
import type { Clock, PresetTaskName, Price } from '@toolyard/protocol';
import { costOf, defined } from '@toolyard/protocol';
import type { Span } from './otlp-exporter.ts';
import type { Attributes } from './span-attributes.ts';
import {
  requestAttributes,
  usageAttributes,
  providerName,
  truncateText,
  getSpanId,
  getTraceId,
} from './span-attributes.ts';

/** A single model call through the API. */
export type ApiChatCall = {
  /** Id of the response. */
  id: string;
  providerId: string;
  request: Pick<ChatRequest, 'model' | 'parameters'>;
  price?: Price;
  /** The run in a tab that it belongs to: its calls form one trace. */
  runId?: string;
  /** The preset task it answers: it names the span. */
  task?: PresetTaskName;
  /** Calls with the same id form one trace, as those of a run do. */
  traceId?: string;
};

export type CallSpansOptions = { add: (span: Span) => void; content: boolean; clock: Pick<Clock, 'now'> };

/** Creates a span for each model call outside of this server's runs, with the attributes of those in runs. */
export class CallSpans {
  readonly #options: CallSpansOptions;

  constructor(options: CallSpansOptions) {
    this.#options = options;
  }

  /** Passes the parts on; creates the span at their end, also if they are not read completely. */
  async *watch(
    call: ApiChatCall,
    batches: AsyncIterable<readonly StreamPart[]>,
  ): AsyncGenerator<readonly StreamPart[], void, undefined> {
    const { clock, content } = this.#options;
    const startedAt = clock.now();
    const attributes: Attributes = {};
    let text = '';
    let error: string | undefined = 'cancelled';
    try {
      for await (const batch of batches) {
        for (const part of batch) {
          if (part.type === 'text' && content) text += part.text;
          if (part.type === 'usage') Object.assign(attributes, usageAttributes(part.usage), ofCost(part, call.price));
          if (part.type === 'error') error = part.error.code;
          if (part.type !== 'finish') continue;
          error = undefined;
          attributes['gen_ai.response.finish_reasons'] = [part.reason];
        }
        yield batch;
      }
    } finally {
      if (content)
        attributes['gen_ai.output.messages'] = truncateText([{ role: 'assistant', parts: [{ type: 'text', text }] }]);
      this.#end(call, startedAt, attributes, error);
    }
  }

  #end(call: ApiChatCall, startedAt: number, attributes: Attributes, error: string | undefined): void {
    const { id, providerId, request, runId, task, traceId } = call;
    this.#options.add({
      traceId: getTraceId(runId ?? traceId ?? id),
      spanId: getSpanId(`call ${id}`),
      name: `${task ?? 'chat'} ${request.model}`,
      kind: 'client',
      startedAt,
      endedAt: this.#options.clock.now(),
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': providerName(providerId),
        ...requestAttributes(request),
        'gen_ai.response.id': id,
        ...defined({ 'toolyard.run.id': runId, 'toolyard.preset_task': task }),
        ...attributes,
        ...defined({ 'error.type': error }),
      },
      ...defined({ error }),
    });
  }
}

function ofCost(
  { usage, cost: reportedCost }: Extract<StreamPart, { type: 'usage' }>,
  price: Price | undefined,
): Attributes {
  const cost = (price && costOf(usage, price)) ?? reportedCost;
  return cost === undefined ? {} : { 'toolyard.cost.usd': cost };
}
