import type { ConversationExample, MediaPart, Message, ModelInput, UserMessage, UserPart } from '@toolyard/protocol';
import { CONTENT_PARTS, isMediaPart } from '@toolyard/protocol';
import type { Placeholders } from './instructions.ts';
import { fillIn } from './instructions.ts';
import { mapUnlessSame, memoizer } from './memoize.ts';

/** At most that many of the latest messages, beginning with one of the person; the first instructions stay. */
export function withinHistory(
  messages: readonly Message[],
  { historyMessages }: { historyMessages?: number },
): readonly Message[] {
  const start = messages[0]?.role === 'system' ? 1 : 0;
  if (historyMessages === undefined || messages.length - start <= historyMessages) return messages;
  const earliest = messages.length - historyMessages;
  const after = messages.findIndex((message, at) => at >= earliest && message.role === 'user');
  // The question under way is never left out, however much has been done about it since.
  const from = after === -1 ? messages.findLastIndex((message) => message.role === 'user') : after;
  return from <= start ? messages : [...messages.slice(0, start), ...messages.slice(from)];
}

const examplesOf = memoizer<readonly ConversationExample[], Message[]>();

/** Pairs of question and answer that show how it is done, before the conversation itself. */
export function withExamples(
  messages: readonly Message[],
  { examples }: { examples?: readonly ConversationExample[] },
): readonly Message[] {
  if (!examples || examples.length === 0) return messages;
  const shown = examplesOf(examples, null, () =>
    examples.flatMap(({ question, answer }, at): Message[] => [
      {
        id: `example.${at}`,
        parentId: null,
        createdAt: 0,
        role: 'user',
        parts: [{ type: 'text', text: question }],
      },
      {
        id: `example.${at}.answer`,
        parentId: `example.${at}`,
        createdAt: 0,
        role: 'assistant',
        runId: '',
        model: '',
        finishReason: 'stop',
        parts: [{ type: 'text', text: answer }],
      },
    ]),
  );
  const start = messages[0]?.role === 'system' ? 1 : 0;
  return [...messages.slice(0, start), ...shown, ...messages.slice(start)];
}

const templated = memoizer<UserMessage, UserMessage>();

/** What the person says, put into a template of the owner's: `{{text}}` stands for it. */
export function withInputTemplate(
  messages: readonly Message[],
  { inputTemplate, placeholders = {} }: { inputTemplate?: string; placeholders?: Placeholders },
): readonly Message[] {
  if (inputTemplate === undefined || !/\{\{\s*text\s*\}\}/.test(inputTemplate)) return messages;
  return mapUnlessSame(messages, (message) => {
    if (message.role !== 'user' || message.id.startsWith('example.')) return message;
    // What stood for the date when a message was first sent stands for it for good: the prefix stays the same.
    return templated(message, inputTemplate, () => ({
      ...message,
      parts: message.parts.map((part) =>
        part.type === 'text' ? { ...part, text: fillIn(inputTemplate, { ...placeholders, text: part.text }) } : part,
      ),
    }));
  });
}

const readable = memoizer<UserMessage, UserMessage>();

/** Media that the model cannot read are replaced by a note. Without `inputs` nothing is known of it, and all are sent. */
export function withReadableAttachments(
  messages: readonly Message[],
  { inputs }: { inputs?: readonly ModelInput[] },
): readonly Message[] {
  if (inputs === undefined) return messages;
  const key = inputs.join();
  return mapUnlessSame(messages, (message) => {
    if (message.role !== 'user' || !message.parts.some((part) => isUnreadable(part, inputs))) return message;
    return readable(message, key, () => ({ ...message, parts: message.parts.map((part) => named(part, inputs)) }));
  });
}

function isUnreadable(part: UserPart, inputs: readonly ModelInput[]): part is MediaPart {
  return isMediaPart(part) && !inputs.includes(part.type);
}

function named(part: UserPart, inputs: readonly ModelInput[]): UserPart {
  if (!isUnreadable(part, inputs)) return part;
  const { attached, cannot } = CONTENT_PARTS[part.type].media;
  return { type: 'text', text: `[The person attached ${attached} here; ${cannot}. Tell them so.]` };
}
