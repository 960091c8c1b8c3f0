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

/** An answer that said nothing, or that was begun anew elsewhere, would only confuse the next request. */
export function withoutEmptyAnswers(messages: readonly Message[]): readonly Message[] {
  return messages.every(isSaid) ? messages : messages.filter(isSaid);
}

function isSaid(message: Message): boolean {
  if (message.role !== 'assistant') return true;
  const { finishReason, parts } = message;
  if (finishReason === 'pending' || finishReason === 'abandoned') return false;
  return parts.some((part) => part.type !== 'error');
}

/**
 * Each call with its result right behind it, once, in the order asked for. Providers refuse anything else; a branch that
 * was imported, or left by a process that died, may hold anything.
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
      .map((call) => results.get(call.callId) ?? unanswered(message, call.callId, nameOf(call)));
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

function nameOf(call: ToolCallPart | MalformedToolCallPart): string {
  return call.type === 'tool_call' ? call.name : call.type;
}

const unansweredIn = memoizer<AssistantMessage, Map<string, ToolMessage>>();

function unanswered(message: AssistantMessage, callId: string, name: string): ToolMessage {
  const kept = unansweredIn(message, null, () => new Map<string, ToolMessage>());
  const before = kept.get(callId);
  if (before) return before;
  const text = 'There is no answer to this call. It is not known whether it took effect.';
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

const nudges = memoizer<AssistantMessage, UserMessage>();

/** Behind an answer that was cut, and that the model is to go on with, stands a word of ours that says so. */
export function withContinuePrompts(messages: readonly Message[]): readonly Message[] {
  if (!messages.some((message, at) => wantsNudge(message, messages[at + 1]))) return messages;
  return messages.flatMap((message, at): Message[] =>
    wantsNudge(message, messages[at + 1]) ? [message, nudge(message)] : [message],
  );
}

function wantsNudge(message: Message, next: Message | undefined): message is AssistantMessage {
  if (message.role !== 'assistant' || (next !== undefined && next.role !== 'assistant')) return false;
  return !message.parts.some(isCall);
}

function nudge(message: AssistantMessage): UserMessage {
  const text = 'Your answer was cut off. Go on exactly where it stops, in the same form, and repeat nothing of it.';
  return nudges(message, null, () => ({
    id: `${message.id}.nudge`,
    parentId: message.id,
    createdAt: message.createdAt,
    role: 'user',
    parts: [{ type: 'text', text }],
  }));
}
