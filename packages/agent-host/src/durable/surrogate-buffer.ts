import type { FactEvent, RunEventBody } from '@toolyard/protocol';
import { ignoreEvent } from '@toolyard/protocol';

type Delta = Extract<RunEventBody, { type: 'text_delta' | 'reasoning_delta' | 'tool_call_delta' }>;

/**
 * Keeps surrogate pairs together: a provider may split a delta inside a pair, and a lone surrogate cannot be stored.
 * The first half waits for the second.
 */
export class SurrogateBuffer {
  readonly #held = new Map<string, Delta>();

  /** The events to write for `body`, in order. */
  pass(body: RunEventBody): RunEventBody[] {
    switch (body.type) {
      case 'text_delta':
      case 'reasoning_delta':
      case 'tool_call_delta':
        return this.#join(body);
      case 'tool_call_ready':
      case 'tool_call_malformed':
        return [...this.#release(body.messageId, body.call.callId), body];
      case 'message_finished':
        return [...this.#release(body.message.id, null), body];
      default:
        ignoreEvent<FactEvent>(body);
        return [body];
    }
  }

  #join(body: Delta): RunEventBody[] {
    if (this.#held.size === 0 && getText(body) !== '' && !endsInHalf(getText(body))) return [body];
    const key = body.type === 'tool_call_delta' ? body.callId : `${body.type}:${body.messageId}`;
    const before = this.#held.get(key);
    const text = before ? getText(before) + getText(body) : getText(body);
    this.#held.delete(key);
    if (text === '') return [];
    if (!endsInHalf(text)) return [withText(body, text)];
    this.#held.set(key, withText(body, text.slice(-1)));
    return text.length === 1 ? [] : [withText(body, text.slice(0, -1))];
  }

  /** Releases halves without a second half: those of one call, or (null) of the whole message. */
  #release(messageId: string, callId: string | null): RunEventBody[] {
    const released: RunEventBody[] = [];
    for (const [key, delta] of this.#held) {
      if (delta.messageId !== messageId) continue;
      if (callId !== null && !(delta.type === 'tool_call_delta' && delta.callId === callId)) continue;
      this.#held.delete(key);
      released.push(delta);
    }
    return released;
  }
}

function getText(delta: Delta): string {
  return delta.type === 'tool_call_delta' ? delta.argumentsText : delta.text;
}

function withText(delta: Delta, text: string): Delta {
  return delta.type === 'tool_call_delta' ? { ...delta, argumentsText: text } : { ...delta, text };
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
