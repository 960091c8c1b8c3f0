import type { Message, RunEvent } from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';

/** The messages without ids and times, so that two executions of a scenario are equal. */
export function transcriptLines(messages: readonly Message[]): string[] {
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

/** The same without the numbers of the counting tool, which increase with a repeated call. */
export function transcriptWithoutCounts(messages: readonly Message[]): string[] {
  return transcriptLines(messages).map((line) => line.replace(/^tool: \d+ /, 'tool: counted '));
}

/**
 * The transcript of a client that applies each event as it arrives: the messages linked by their parents, starting at
 * the user message. (Parallel tools finish in any order.)
 */
export function applyAll(events: readonly RunEvent[]): Message[] {
  const messages = new Map<string, Message>();
  for (const event of events) {
    switch (event.type) {
      case 'run_started':
      case 'message_finished':
      case 'tool_finished':
      case 'steered':
      case 'compression_finished':
        messages.set(event.message.id, event.message);
        break;
      case 'attempt_abandoned':
        if (event.messageId !== null) messages.delete(event.messageId);
        break;
      default:
    }
  }
  const branch: Message[] = [];
  const next = new Map([...messages.values()].map((message) => [message.parentId, message]));
  for (let at = next.get(null); at; at = next.get(at.id)) branch.push(at);
  return branch;
}

/**
 * Messages whose deltas, each applied once, differ from their final content; and those neither finished nor abandoned.
 */
export function inconsistentMessages(events: readonly RunEvent[]): string[] {
  const spelled = new Map<string, string>();
  const wrong: string[] = [];
  for (const event of events) {
    switch (event.type) {
      case 'message_started':
        spelled.set(event.messageId, '');
        break;
      case 'text_delta':
        spelled.set(event.messageId, `${spelled.get(event.messageId) ?? 'never begun: '}${event.text}`);
        break;
      case 'message_finished': {
        const { message } = event;
        const text = spelled.get(message.id) ?? '';
        // The answer of a member appears at once.
        if (message.member === undefined && text !== textOf(message))
          wrong.push(`${message.id}: "${text}" is not "${textOf(message)}"`);
        spelled.delete(message.id);
        break;
      }
      case 'attempt_abandoned':
        if (event.messageId !== null) spelled.delete(event.messageId);
        break;
      default:
    }
  }
  return [...wrong, ...[...spelled.keys()].map((id) => `${id}: no end`)];
}
