import type { Message, ToolMessage } from '@toolyard/protocol';

const LONGEST_NOTE = 4_000;

const noted = new WeakMap<ToolMessage, ToolMessage>();

/** The model finds its own call in the conversation as it wrote it: it is told where the call was made otherwise. */
export function withEditedArguments(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(isEdited)) return messages;
  return messages.map((message) => (isEdited(message) ? withNote(message) : message));
}

function isEdited(message: Message): message is ToolMessage {
  return message.role === 'tool' && message.editedArguments !== undefined;
}

function withNote(message: ToolMessage): ToolMessage {
  const known = noted.get(message);
  if (known) return known;
  const [part] = message.parts;
  const written = JSON.stringify(message.editedArguments);
  const args = written.length <= LONGEST_NOTE ? written : `${written.slice(0, LONGEST_NOTE)} [cut]`;
  const text = `[The person changed the arguments of this call. They are now: ${args}]`;
  const { content, structured } = part.result;
  // A model gets structured content where there is no text, and now there is one.
  const told = structured === undefined || content.some(({ type }) => type === 'text');
  const rest = told ? content : [...content, { type: 'text' as const, text: JSON.stringify(structured) }];
  const result = { ...part.result, content: [{ type: 'text' as const, text }, ...rest] };
  const made: ToolMessage = { ...message, parts: [{ ...part, result }] };
  noted.set(message, made);
  return made;
}
