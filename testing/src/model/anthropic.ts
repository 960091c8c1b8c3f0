import type { JsonObject } from '@toolyard/protocol';
import { inPieces } from './reply.ts';
import { buildReply, encodeEvent, type ModelReply, type ScriptedWireOptions } from './wire.ts';

/** A content block of an answer. A string as `input` is sent unchanged, valid JSON or not. */
export type AnthropicBlock =
  | { type: 'text'; text: string; citations?: readonly JsonObject[] }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: JsonObject | string };

export type AnthropicOptions = ScriptedWireOptions & {
  /** Characters per delta; default 8. */
  pieces?: number;
  /** Default by the blocks: `tool_use` or `end_turn`. */
  stopReason?: string;
  /** Usage at the start. */
  usage?: JsonObject;
  /** Output tokens, sent at the end. */
  outputTokens?: number;
  /** Ends the stream with an error. */
  errorInStream?: { type: string; message: string };
  /** Omits the end: nothing follows the blocks. */
  withoutEnd?: boolean;
  model?: string;
};

/** A streamed answer of Anthropic's Messages API, as documented. */
export function anthropicReply(blocks: readonly AnthropicBlock[] | string, options: AnthropicOptions = {}): ModelReply {
  const list: readonly AnthropicBlock[] = typeof blocks === 'string' ? [{ type: 'text', text: blocks }] : blocks;
  return anthropicEvents(createEvents(list, options), options);
}

/** Streams these events, each named by its type: for what {@link anthropicReply} cannot express. */
export function anthropicEvents(events: readonly JsonObject[], options: ScriptedWireOptions = {}): ModelReply {
  const encoded = events.map((event) => encodeEvent(JSON.stringify(event), options, readName(event)));
  return buildReply('text/event-stream', encoded, options);
}

function createEvents(blocks: readonly AnthropicBlock[], options: AnthropicOptions): JsonObject[] {
  const events: JsonObject[] = [
    {
      type: 'message_start',
      message: {
        id: 'msg_scripted',
        type: 'message',
        role: 'assistant',
        model: options.model ?? 'scripted',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1, ...options.usage },
      },
    },
    { type: 'ping' },
  ];
  blocks.forEach((block, index) => {
    events.push({ type: 'content_block_start', index, content_block: emptied(block) });
    for (const delta of toDeltas(block, options)) events.push({ type: 'content_block_delta', index, delta });
    events.push({ type: 'content_block_stop', index });
  });
  if (options.errorInStream !== undefined) return [...events, { type: 'error', error: options.errorInStream }];
  if (options.withoutEnd === true) return events;
  const asksForTools = blocks.some((block) => block.type === 'tool_use');
  return [
    ...events,
    {
      type: 'message_delta',
      delta: { stop_reason: options.stopReason ?? (asksForTools ? 'tool_use' : 'end_turn'), stop_sequence: null },
      usage: { output_tokens: options.outputTokens ?? 5 },
    },
    { type: 'message_stop' },
  ];
}

function emptied(block: AnthropicBlock): JsonObject {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'redacted_thinking':
      return { ...block };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: {} };
  }
}

function toDeltas(block: AnthropicBlock, options: AnthropicOptions): JsonObject[] {
  switch (block.type) {
    case 'text':
      return [
        ...inPieces(block.text, options).map((text) => ({ type: 'text_delta', text })),
        ...(block.citations ?? []).map((citation) => ({ type: 'citations_delta', citation })),
      ];
    case 'thinking':
      return [
        ...inPieces(block.thinking, options).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ];
    case 'redacted_thinking':
      return [];
    case 'tool_use': {
      const text = typeof block.input === 'string' ? block.input : JSON.stringify(block.input);
      return ['', ...inPieces(text, options)].map((partial) => ({ type: 'input_json_delta', partial_json: partial }));
    }
  }
}

function readName(event: JsonObject): string {
  return typeof event['type'] === 'string' ? event['type'] : 'message';
}
