import { crc32 } from 'node:zlib';
import type { JsonObject } from '@toolyard/protocol';
import { inPieces } from './reply.ts';
import { buildReply, type ModelReply, type ScriptedWireOptions } from './wire.ts';

export type ConverseBlock =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string; signature?: string }
  | { type: 'tool_use'; id: string; name: string; input: JsonObject };

export type ConverseOptions = ScriptedWireOptions & {
  /** Characters per delta; default 8. */
  pieces?: number;
  /** Default `tool_use` with calls, otherwise `end_turn`; null ends the stream before it. */
  stopReason?: string | null;
  usage?: JsonObject;
  /** Ends the stream with this exception instead of a stop reason. */
  exception?: { name: string; message: string };
};

/** A streamed answer of the Converse API of Amazon Bedrock: frames with headers and checksums, as documented. */
export function converseReply(blocks: readonly ConverseBlock[] | string, options: ConverseOptions = {}): ModelReply {
  const list: readonly ConverseBlock[] = typeof blocks === 'string' ? [{ type: 'text', text: blocks }] : blocks;
  const frames = [event('messageStart', { role: 'assistant' })];
  for (const [contentBlockIndex, block] of list.entries()) {
    if (block.type === 'tool_use') {
      const start = { toolUse: { toolUseId: block.id, name: block.name } };
      frames.push(event('contentBlockStart', { contentBlockIndex, start }));
    }
    for (const delta of toDeltas(block, options)) frames.push(event('contentBlockDelta', { contentBlockIndex, delta }));
    frames.push(event('contentBlockStop', { contentBlockIndex }));
  }
  const { exception, stopReason = list.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn' } = options;
  if (exception !== undefined) {
    const headers = { ':message-type': 'exception', ':exception-type': exception.name };
    frames.push(frame(headers, { message: exception.message }));
  } else if (stopReason !== null) {
    const usage = options.usage ?? { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    frames.push(event('messageStop', { stopReason }), event('metadata', { usage, metrics: { latencyMs: 1 } }));
  }
  return buildReply('application/vnd.amazon.eventstream', frames, options);
}

function toDeltas(block: ConverseBlock, options: ConverseOptions): JsonObject[] {
  switch (block.type) {
    case 'text':
      return inPieces(block.text, options).map((text) => ({ text }));
    case 'reasoning':
      return [
        ...inPieces(block.text, options).map((text) => ({ reasoningContent: { text } })),
        ...(block.signature === undefined ? [] : [{ reasoningContent: { signature: block.signature } }]),
      ];
    case 'tool_use':
      return inPieces(JSON.stringify(block.input), options).map((input) => ({ toolUse: { input } }));
  }
}

function event(name: string, payload: JsonObject): Uint8Array {
  return frame({ ':message-type': 'event', ':event-type': name, ':content-type': 'application/json' }, payload);
}

/**
 * A frame: total length, length of the headers, checksum of both; headers; payload; checksum of everything before. Header
 * values are strings (type 7).
 */
function frame(headers: Record<string, string>, payload: JsonObject): Uint8Array {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const size = Buffer.alloc(2);
      size.writeUInt16BE(Buffer.byteLength(value));
      return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), size, Buffer.from(value)]);
    }),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  const message = Buffer.concat([prelude, checksum(prelude), head, body]);
  return Buffer.concat([message, checksum(message)]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
