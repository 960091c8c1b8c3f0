import type { Message, RunEvent } from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';

/** What was said, whatever ids and times there were: the same story told twice looks the same. */
export function told(messages: readonly Message[]): string[] {
  return messages.map((message) => {
    switch (message.role) {
      case 'tool': {
        const { content, outcome } = message.parts[0].result;
        return `tool: ${content.map((item) => (item.type === 'text' ? item.text : item.type)).join(' ')} (${outcome})`;
      }
      case 'assistant': {
        const calls = message.parts.flatMap((part) =>
          part.type === 'tool_call' ? [`${part.name} ${JSON.stringify(part.arguments)}`] : [],
        );
        return [`assistant: ${textOf(message)}`, ...calls, `(${message.finishReason})`].join(' ');
      }
      default:
        return `${message.role}: ${textOf(message)}`;
    }
  });
}

/**
 * The transcript of someone who knows nothing but the events, and applies each of them. What the deltas of a message
 * spelled out must be what it is in the end, and only an attempt that was abandoned leaves a message unfinished.
 */
export function applied(events: readonly RunEvent[]): Message[] {
  const messages: Message[] = [];
  const spelled = new Map<string, string>();
  for (const event of events) {
    switch (event.type) {
      case 'run_started':
        messages.push(event.message);
        break;
      case 'message_started':
        spelled.set(event.messageId, '');
        break;
      case 'text_delta':
        spelled.set(event.messageId, (spelled.get(event.messageId) ?? 'unbegun: ') + event.text);
        break;
      case 'message_finished': {
        const { message } = event;
        const text = spelled.get(message.id);
        if (text !== textOf(message))
          throw new Error(`${message.id}: spelled "${String(text)}", is "${textOf(message)}"`);
        spelled.delete(message.id);
        messages.push(message);
        break;
      }
      case 'attempt_abandoned':
        if (event.messageId !== null) spelled.delete(event.messageId);
        break;
      case 'tool_finished':
        messages.push(event.message);
        break;
      default:
    }
  }
  if (spelled.size > 0) throw new Error(`never finished: ${[...spelled.keys()].join()}`);
  return messages;
}
