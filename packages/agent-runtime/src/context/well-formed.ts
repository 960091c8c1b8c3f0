import type {
  AssistantMessage,
  AssistantPart,
  MalformedToolCallPart,
  Message,
  ToolCallPart,
  ToolMessage,
  UserMessage,
} from '@toolyard/protocol';
import { memoizer } from './memoize.ts';

/** Removes answers without content and abandoned ones, which would confuse the model. */
export function withoutEmptyAnswers(messages: readonly Message[]): readonly Message[] {
  return messages.every(hasContent) ? messages : messages.filter(hasContent);
}

/** False for an answer without content, or an abandoned one. */
export function hasContent(message: Message): boolean {
  if (message.role !== 'assistant') return true;
  const { finishReason, parts } = message;
  if (finishReason === 'pending' || finishReason === 'abandoned') return false;
  return parts.some((part) => part.type !== 'error');
}

/**
 * Places the result of each call right after it, once, in the order of the calls. Providers reject anything else, and
 * an imported or interrupted branch may contain anything.
 */
export function withResultsInPlace(messages: readonly Message[]): readonly Message[] {
  if (areInPlace(messages)) return messages;
  const results = new Map<string, ToolMessage>();
  for (const message of messages) if (message.role === 'tool') results.set(message.parts[0].callId, message);
  return messages.flatMap((message): Message[] => {
    if (message.role === 'tool') return [];
    if (message.role !== 'assistant') return [message];
    const answers = message.parts
      .filter(isCall)
      .map((call) => results.get(call.callId) ?? unanswered(message, call.callId, getName(call)));
    return [message, ...answers];
  });
}

function areInPlace(messages: readonly Message[]): boolean {
  for (let at = 0; at < messages.length;) {
    const message = messages[at++];
    if (message?.role === 'tool') return false;
    if (message?.role !== 'assistant') continue;
    for (const part of message.parts) {
      if (!isCall(part)) continue;
      const result = messages[at++];
      if (result?.role !== 'tool' || result.parts[0].callId !== part.callId) return false;
    }
  }
  return true;
}

function isCall(part: AssistantPart): part is ToolCallPart | MalformedToolCallPart {
  return part.type === 'tool_call' || part.type === 'malformed_tool_call';
}

function getName(call: ToolCallPart | MalformedToolCallPart): string {
  return call.type === 'tool_call' ? call.name : call.type;
}

const unansweredIn = memoizer<AssistantMessage, Map<string, ToolMessage>>();

function unanswered(message: AssistantMessage, callId: string, name: string): ToolMessage {
  const kept = unansweredIn(message, null, () => new Map<string, ToolMessage>());
  const before = kept.get(callId);
  if (before) return before;
  const text = 'This call has no result. Its outcome is unknown.';
  const result = { content: [{ type: 'text' as const, text }], isError: true, outcome: 'unknown' as const };
  const made: ToolMessage = {
    id: `${callId}.result`,
    parentId: message.id,
    createdAt: message.createdAt,
    role: 'tool',
    name,
    tool: null,
    parts: [{ type: 'tool_result', callId, result }],
  };
  kept.set(callId, made);
  return made;
}

const continuePrompts = memoizer<AssistantMessage, UserMessage>();

/** Adds a prompt after an answer that was cut off and that the model should continue. */
export function withContinuePrompts(messages: readonly Message[]): readonly Message[] {
  if (!messages.some((message, at) => needsContinuePrompt(message, messages[at + 1]))) return messages;
  return messages.flatMap((message, at): Message[] =>
    needsContinuePrompt(message, messages[at + 1]) ? [message, continuePrompt(message)] : [message],
  );
}

function needsContinuePrompt(message: Message, next: Message | undefined): message is AssistantMessage {
  if (message.role !== 'assistant' || (next !== undefined && next.role !== 'assistant')) return false;
  return !message.parts.some(isCall);
}

function continuePrompt(message: AssistantMessage): UserMessage {
  const text =
    'Your answer was cut off. Continue exactly where it stops, in the same format, and do not repeat any of it.';
  return continuePrompts(message, null, () => ({
    id: `${message.id}.nudge`,
    parentId: message.id,
    createdAt: message.createdAt,
    role: 'user',
    parts: [{ type: 'text', text }],
  }));
}
