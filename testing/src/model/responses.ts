import type { JsonObject } from '@toolyard/protocol';
import { inPieces } from './reply.ts';
import { buildReply, encodeEvent, type ModelReply, type ScriptedWireOptions } from './wire.ts';

/** An output item of an answer. */
export type ResponsesItem =
  | { type: 'message'; text: string; annotations?: readonly JsonObject[]; refusal?: string }
  | { type: 'reasoning'; summary: readonly string[]; encrypted?: string }
  | { type: 'function_call'; callId: string; name: string; arguments: JsonObject | string }
  | { type: 'image_generation_call'; result: string };

export type ResponsesOptions = ScriptedWireOptions & {
  /** Characters per delta; default 8. */
  pieces?: number;
  usage?: JsonObject;
  /** The reason why the answer is incomplete, such as `max_output_tokens`. */
  incomplete?: string;
  /** The answer fails. */
  failed?: { code: string; message: string };
  /** Omits the end. */
  withoutEnd?: boolean;
};

/** A streamed answer of OpenAI's Responses API, as documented. */
export function responsesReply(items: readonly ResponsesItem[] | string, options: ResponsesOptions = {}): ModelReply {
  const list: readonly ResponsesItem[] = typeof items === 'string' ? [{ type: 'message', text: items }] : items;
  const output = list.map(wholeItem);
  const start = { id: 'resp_scripted', object: 'response', status: 'in_progress', model: 'scripted', output: [] };
  const events: JsonObject[] = [
    { type: 'response.created', response: start },
    { type: 'response.in_progress', response: start },
  ];
  list.forEach((item, index) => {
    const whole = output[index] ?? {};
    const place = { output_index: index, item_id: whole['id'] ?? null };
    events.push({ type: 'response.output_item.added', output_index: index, item: emptied(whole) });
    for (const event of growth(item, options)) events.push({ ...event, ...place });
    events.push({ type: 'response.output_item.done', output_index: index, item: whole });
  });
  if (options.withoutEnd !== true) events.push(createEnd(start, output, options));
  return responsesEvents(events, options);
}

/** Streams these events, each named by its type and numbered: for what {@link responsesReply} cannot express. */
export function responsesEvents(events: readonly JsonObject[], options: ScriptedWireOptions = {}): ModelReply {
  const encoded = events.map((event, at) =>
    encodeEvent(JSON.stringify({ ...event, sequence_number: at }), options, readName(event)),
  );
  return buildReply('text/event-stream', encoded, options);
}

function createEnd(start: JsonObject, output: JsonObject[], options: ResponsesOptions): JsonObject {
  const { incomplete, failed } = options;
  const usage = options.usage ?? { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const status = failed !== undefined ? 'failed' : incomplete !== undefined ? 'incomplete' : 'completed';
  return {
    type: `response.${status}`,
    response: {
      ...start,
      status,
      output,
      usage,
      error: failed ?? null,
      incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    },
  };
}

function wholeItem(item: ResponsesItem, index: number): JsonObject {
  const status = 'completed';
  switch (item.type) {
    case 'message': {
      const annotations = [...(item.annotations ?? [])];
      const content =
        item.refusal === undefined
          ? { type: 'output_text', text: item.text, annotations }
          : { type: 'refusal', refusal: item.refusal };
      return { id: `msg_${index}`, type: 'message', role: 'assistant', status, content: [content] };
    }
    case 'reasoning': {
      const summary = item.summary.map((text) => ({ type: 'summary_text', text }));
      const encrypted = item.encrypted === undefined ? {} : { encrypted_content: item.encrypted };
      return { id: `rs_${index}`, type: 'reasoning', summary, ...encrypted };
    }
    case 'function_call':
      return {
        id: `fc_${index}`,
        type: 'function_call',
        status,
        call_id: item.callId,
        name: item.name,
        arguments: toArguments(item),
      };
    case 'image_generation_call':
      return { id: `ig_${index}`, type: 'image_generation_call', status, result: item.result };
  }
}

function toArguments(item: Extract<ResponsesItem, { type: 'function_call' }>): string {
  return typeof item.arguments === 'string' ? item.arguments : JSON.stringify(item.arguments);
}

/** An item as first announced: without the content that is streamed. */
function emptied(whole: JsonObject): JsonObject {
  const { content: _, summary, arguments: args, result: __, encrypted_content: ___, ...head } = whole;
  return {
    ...head,
    ...(whole['status'] === undefined ? {} : { status: 'in_progress' }),
    ...(whole['type'] === 'message' ? { content: [] } : {}),
    ...(summary === undefined ? {} : { summary: [] }),
    ...(args === undefined ? {} : { arguments: '' }),
  };
}

function growth(item: ResponsesItem, options: ResponsesOptions): JsonObject[] {
  switch (item.type) {
    case 'message': {
      const type = item.refusal === undefined ? 'response.output_text' : 'response.refusal';
      const text = item.refusal ?? item.text;
      const part = { type: item.refusal === undefined ? 'output_text' : 'refusal', text: '', annotations: [] };
      return [
        { type: 'response.content_part.added', content_index: 0, part },
        ...inPieces(text, options).map((delta) => ({ type: `${type}.delta`, content_index: 0, delta })),
        ...(item.annotations ?? []).map((annotation, at) => ({
          type: 'response.output_text.annotation.added',
          content_index: 0,
          annotation_index: at,
          annotation,
        })),
        { type: `${type}.done`, content_index: 0, text },
        { type: 'response.content_part.done', content_index: 0, part: { ...part, text } },
      ];
    }
    case 'reasoning':
      return item.summary.flatMap((text, at) => [
        { type: 'response.reasoning_summary_part.added', summary_index: at, part: { type: 'summary_text', text: '' } },
        ...inPieces(text, options).map((delta) => ({
          type: 'response.reasoning_summary_text.delta',
          summary_index: at,
          delta,
        })),
        { type: 'response.reasoning_summary_text.done', summary_index: at, text },
      ]);
    case 'function_call':
      return [
        ...inPieces(toArguments(item), options).map((delta) => ({
          type: 'response.function_call_arguments.delta',
          delta,
        })),
        { type: 'response.function_call_arguments.done', arguments: toArguments(item) },
      ];
    case 'image_generation_call':
      return [{ type: 'response.image_generation_call.generating' }];
  }
}

function readName(event: JsonObject): string {
  return typeof event['type'] === 'string' ? event['type'] : 'message';
}
