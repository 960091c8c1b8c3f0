import type { Message, ToolMessage } from '@toolyard/protocol';
import { mapUnlessSame, memoizer } from './context/memoize.ts';

const MAX_NOTE_LENGTH = 4_000;

const noted = memoizer<ToolMessage, ToolMessage>();

/** Adds a note for calls whose arguments the user edited, since the conversation shows the model its original call. */
export function withEditedArguments(messages: readonly Message[]): readonly Message[] {
  return mapUnlessSame(messages, (message) =>
    isEdited(message) ? noted(message, null, () => withNote(message)) : message,
  );
}

function isEdited(message: Message): message is ToolMessage {
  return message.role === 'tool' && message.editedArguments !== undefined;
}

function withNote(message: ToolMessage): ToolMessage {
  const [part] = message.parts;
  const written = JSON.stringify(message.editedArguments);
  const args = written.length <= MAX_NOTE_LENGTH ? written : `${written.slice(0, MAX_NOTE_LENGTH)} [cut]`;
  const text = `[The user edited the arguments of this call. They are now: ${args}]`;
  const { content, structured } = part.result;
  // Models get structured content only if there is no text, and the note is a text.
  const hasText = structured === undefined || content.some(({ type }) => type === 'text');
  const rest = hasText ? content : [...content, { type: 'text' as const, text: JSON.stringify(structured) }];
  const result = { ...part.result, content: [{ type: 'text' as const, text }, ...rest] };
  return { ...message, parts: [{ ...part, result }] };
}
