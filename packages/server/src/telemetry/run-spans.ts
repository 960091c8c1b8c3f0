import type { AssistantMessage, LeasedRun, RunEvent } from '@toolyard/protocol';
import { defined, ignoreEvent } from '@toolyard/protocol';
import type { RunConfiguration } from '../runs/worker/stored-run.ts';
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

/** Data of a run that this process executes. */
type Known = { provider: string; model: string; attributes: Attributes; startedAt: number };
type OpenSpan = { at: number; attributes: Attributes; name: string };

/** Runs that another process continued have no end here; bounds their number. */
const MOST_RUNS = 5_000;

/**
 * Creates spans from run events by OpenTelemetry's conventions for generative AI: one for the run, one for each model
 * request, one for each tool call. Ids are derived from the run's id, so that a run of two processes is one trace.
 */
export class RunSpans {
  readonly #add: (span: Span) => void;
  readonly #content: boolean;
  readonly #runs = new Map<string, Known>();
  /** Open spans, by run and message or call. */
  readonly #openSpans = new Map<string, OpenSpan>();

  constructor({ add, content }: { add: (span: Span) => void; content: boolean }) {
    this.#add = add;
    this.#content = content;
  }

  /** This process executes the run from now on. */
  onClaimed({ id, conversationId, agentId, createdAt }: LeasedRun, { model }: RunConfiguration): void {
    const attributes: Attributes = {
      'gen_ai.provider.name': providerName(model.providerId),
      'gen_ai.request.model': model.modelId,
      'gen_ai.conversation.id': conversationId,
      ...(agentId === null ? {} : { 'gen_ai.agent.id': agentId }),
    };
    this.#runs.delete(id);
    this.#runs.set(id, { provider: model.providerId, model: model.modelId, attributes, startedAt: createdAt });
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > MOST_RUNS && oldest !== undefined) this.#forget(oldest);
  }

  published(events: readonly RunEvent[]): void {
    for (const event of events) this.#take(event);
  }

  #take(event: RunEvent): void {
    const run = this.#runs.get(event.runId);
    if (run === undefined) return;
    switch (event.type) {
      case 'request_made':
        return this.#begin(event, event.messageId, `chat ${event.request.model}`, requestAttributes(event.request));
      case 'message_started':
        if (this.#openSpans.has(getKey(event.runId, event.messageId))) return;
        return this.#begin(event, event.messageId, `chat ${event.model}`, {});
      case 'message_finished':
        return this.#endChat(event, run, event.message);
      case 'attempt_abandoned':
        if (event.messageId === null) return;
        return this.#end(event, event.messageId, 'client', { ...chatAttributes(run) }, 'abandoned');
      case 'tool_started': {
        const { callId, tool, name } = event;
        return this.#begin(event, callId, `execute_tool ${name}`, {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': name,
          'gen_ai.tool.call.id': callId,
          'gen_ai.tool.type': 'extension',
          'toolyard.server.id': tool.serverId,
          ...(this.#content && event.editedArguments
            ? { 'gen_ai.tool.call.arguments': truncateText(event.editedArguments) }
            : {}),
        });
      }
      case 'tool_finished': {
        const { result, callId } = event;
        const resultAttributes = this.#content ? { 'gen_ai.tool.call.result': truncateText(result.content) } : {};
        const error = result.isError ? (result.error?.code ?? 'tool_error') : undefined;
        return this.#end(
          event,
          callId,
          'internal',
          { 'toolyard.tool.outcome': result.outcome, ...resultAttributes },
          error,
        );
      }
      case 'run_finished': {
        const { usage, cost, error, status } = event;
        const [traceId, spanId] = [getTraceId(event.runId), getSpanId(event.runId)];
        this.#add({
          traceId,
          spanId,
          name: 'invoke_agent',
          kind: 'internal',
          startedAt: run.startedAt,
          endedAt: event.at,
          attributes: {
            'gen_ai.operation.name': 'invoke_agent',
            ...run.attributes,
            ...usageAttributes(usage),
            'toolyard.run.id': event.runId,
            'toolyard.run.status': status,
            ...defined({ 'toolyard.cost.usd': cost }),
            ...(error ? { 'error.type': error.code } : {}),
          },
          ...(error ? { error: error.code } : {}),
        });
        return this.#forget(event.runId);
      }
      default:
        ignoreEvent<
          | 'run_started'
          | 'steered'
          | 'tool_call_ready'
          | 'tool_call_malformed'
          | 'interrupt_requested'
          | 'interrupt_answered'
          | 'interrupt_withdrawn'
          | 'compression_finished'
        >(event);
    }
  }

  #begin({ runId, at }: RunEvent, id: string, name: string, attributes: Attributes): void {
    this.#openSpans.set(getKey(runId, id), { at, name, attributes });
  }

  #endChat(event: RunEvent, run: Known, message: AssistantMessage): void {
    const failure = message.parts.find((part) => part.type === 'error');
    const attributes: Attributes = {
      ...chatAttributes(run),
      'gen_ai.response.id': message.id,
      'gen_ai.response.finish_reasons': [message.finishReason],
      ...usageAttributes(message.usage ?? {}),
      ...defined({ 'toolyard.cost.usd': message.cost }),
      ...(this.#content
        ? { 'gen_ai.output.messages': truncateText([{ role: 'assistant', parts: message.parts }]) }
        : {}),
    };
    this.#end(event, message.id, 'client', attributes, failure?.error.code);
  }

  #end({ runId, at }: RunEvent, id: string, kind: Span['kind'], more: Attributes, error?: string): void {
    const key = getKey(runId, id);
    const span = this.#openSpans.get(key);
    if (span === undefined) return;
    this.#openSpans.delete(key);
    const { name, at: startedAt, attributes } = span;
    this.#add({
      traceId: getTraceId(runId),
      // A call may be repeated.
      spanId: getSpanId(`${key} ${startedAt}`),
      parentSpanId: getSpanId(runId),
      name,
      kind,
      startedAt,
      endedAt: at,
      attributes: { ...more, ...attributes, ...defined({ 'error.type': error }) },
      ...defined({ error }),
    });
  }

  #forget(runId: string): void {
    this.#runs.delete(runId);
    for (const key of this.#openSpans.keys()) if (key.startsWith(`${runId} `)) this.#openSpans.delete(key);
  }
}

function chatAttributes({ attributes }: Known): Attributes {
  return { 'gen_ai.operation.name': 'chat', ...attributes };
}

function getKey(runId: string, id: string): string {
  return `${runId} ${id}`;
}
