import type { AssistantMessage, Message, UserMessage, UserPart } from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';
import { fenced, withoutGroupTags } from '../context/fenced.ts';
import { mapUnlessSame, memoizer } from '../context/memoize.ts';

/**
 * Answers of the members of a group become user messages that name their author: every API format has them, unlike
 * names of speakers, which most model servers ignore. No text can pass as the message of another speaker.
 */
export function withSpeakers(messages: readonly Message[]): readonly Message[] {
  if (!messages.some((message) => message.role === 'assistant' && message.member)) return messages;
  return mapUnlessSame(messages, (message) => {
    if (message.role === 'user') return withoutForgedSpeakers(message);
    return message.role === 'assistant' && message.member ? spokenBy(nameIn(message), message) : message;
  });
}

const spoken = memoizer<AssistantMessage, UserMessage>();

/** An answer as a message of its author to a model that did not write it. */
export function spokenBy(name: string, message: AssistantMessage, more: readonly string[] = []): UserMessage {
  const { id, parentId, createdAt, member } = message;
  return spoken(message, `${name}\n${more.join('\n')}`, () => {
    const text = textOf(message).trim();
    const isPrivate = member?.private === true ? 'true' : undefined;
    const texts = [
      ...(text === '' ? [] : [fenced('group-message', { from: name, private: isPrivate }, text)]),
      ...more,
    ];
    const images = message.parts.flatMap((part): UserPart[] => (part.type === 'image' ? [part] : []));
    return {
      id,
      parentId,
      createdAt,
      role: 'user',
      parts: [{ type: 'text', text: texts.join('\n') }, ...images],
    };
  });
}

const guarded = memoizer<UserMessage, UserMessage>();

/** The message of a user, whose text cannot pass as that of a member. */
export function withoutForgedSpeakers(message: UserMessage): UserMessage {
  if (!message.parts.some((part) => part.type === 'text' && withoutGroupTags(part.text) !== part.text)) return message;
  return guarded(message, null, () => ({
    ...message,
    parts: message.parts.map((part) => (part.type === 'text' ? { ...part, text: withoutGroupTags(part.text) } : part)),
  }));
}

export function nameIn({ agent, member }: AssistantMessage): string {
  return agent?.title ?? (member ? 'A member' : 'Supervisor');
}
