import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import { BlockAnswer } from '../wire/block-answer.ts';
import { readObject, readText } from '../wire/json-values.ts';
import { toArgumentsText } from '../wire/arguments.ts';
import { readUsage } from './usage.ts';

/** Converts the events of one streamed answer into parts. */
export class ConverseAnswer extends BlockAnswer {
  protected readonly wire = 'bedrock-converse';

  protected chunk(value: JsonValue, out: StreamPart[], name?: string): void {
    if (this.ended || !isJsonObject(value)) return;
    switch (name) {
      case 'messageStart':
        this.began = true;
        return;
      case 'contentBlockStart': {
        this.began = true;
        this.endClosedCalls(out);
        const call = readObject(value['start'])['toolUse'];
        if (isJsonObject(call))
          this.calls.begin(readIndex(value), readText(call['toolUseId']), readText(call['name']), out);
        return;
      }
      case 'contentBlockDelta':
        this.began = true;
        if (isJsonObject(value['delta'])) this.#delta(readIndex(value), value['delta'], out);
        return;
      case 'contentBlockStop':
        this.closeBlock(readIndex(value), out);
        return;
      case 'messageStop':
        this.began = true;
        this.stopFor(readText(value['stopReason']) || 'end_turn', out);
        return;
      case 'metadata':
        // The last event of a stream.
        if (isJsonObject(value['usage'])) this.usage = readUsage(value['usage']);
        this.isStreamDone = this.stopped;
        return;
      default:
        // Events of later versions.
        return;
    }
  }

  #delta(index: number, delta: JsonObject, out: StreamPart[]): void {
    this.say(readText(delta['text']), out);
    const call = delta['toolUse'];
    if (isJsonObject(call)) {
      this.addPiece();
      this.calls.delta(index, toArgumentsText(call['input']), out);
    }
    const reasoning = delta['reasoningContent'];
    if (!isJsonObject(reasoning)) return;
    this.think(readText(reasoning['text']), out);
    const signature = readText(reasoning['signature']);
    if (signature !== '') this.addSignature(index, signature);
    const redacted = readText(reasoning['redactedContent']);
    if (redacted !== '') this.keep(`redacted:${redacted}`, out);
  }
}

function readIndex(event: JsonObject): number {
  return typeof event['contentBlockIndex'] === 'number' ? event['contentBlockIndex'] : 0;
}
