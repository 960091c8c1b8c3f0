import type {
  ConversationExample,
  MediaPart,
  MediaType,
  Message,
  ModelInput,
  UserMessage,
  UserPart,
} from '@toolyard/protocol';
import { CONTENT_PARTS, isMediaPart } from '@toolyard/protocol';
import type { Placeholders } from './instructions.ts';
import { fillIn } from './instructions.ts';
import { mapUnlessSame, memoizer } from './memoize.ts';
import { hasContent } from './well-formed.ts';

/** The latest messages up to a limit, starting with a user message; the instructions are always kept. */
export function withinHistory(
  messages: readonly Message[],
  { historyMessages }: { historyMessages?: number },
): readonly Message[] {
  const start = messages[0]?.role === 'system' ? 1 : 0;
  if (historyMessages === undefined || messages.length - start <= historyMessages) return messages;
  const earliest = messages.length - historyMessages;
  const after = messages.findIndex((message, at) => at >= earliest && message.role === 'user');
  // The current user message is always kept, however many messages follow it.
  const from = after === -1 ? messages.findLastIndex((message) => message.role === 'user') : after;
  return from <= start ? messages : [...messages.slice(0, start), ...messages.slice(from)];
}

const examplesOf = memoizer<readonly ConversationExample[], Message[]>();

/** Adds pairs of example question and answer before the conversation. */
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

/** Inserts each user message into the template, in the place of `{{text}}`. */
export function withInputTemplate(
  messages: readonly Message[],
  { inputTemplate, placeholders = {} }: { inputTemplate?: string; placeholders?: Placeholders },
): readonly Message[] {
  if (inputTemplate === undefined || !/\{\{\s*text\s*\}\}/.test(inputTemplate)) return messages;
  return mapUnlessSame(messages, (message) => {
    if (message.role !== 'user' || message.id.startsWith('example.')) return message;
    // Keeps the date of the first request, so that the prefix does not change.
    return templated(message, inputTemplate, () => ({
      ...message,
      parts: message.parts.map((part) =>
        part.type === 'text' ? { ...part, text: fillIn(inputTemplate, { ...placeholders, text: part.text }) } : part,
      ),
    }));
  });
}

const readable = memoizer<UserMessage, UserMessage>();

/** Replaces media that the model cannot read by a note. Without `inputs` all media are sent. */
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

/**
 * Media types that the model cannot read, of the messages that it has not answered yet: {@link withReadableAttachments}
 * leaves them out.
 */
export function unreadableTypes(messages: readonly Message[], inputs: readonly ModelInput[] | undefined): MediaType[] {
  if (inputs === undefined) return [];
  const answered = messages.findLastIndex((message) => message.role === 'assistant' && hasContent(message));
  const types = messages
    .slice(answered + 1)
    .flatMap((message) => (message.role === 'user' ? message.parts : []))
    .flatMap((part) => (isUnreadable(part, inputs) ? [part.type] : []));
  return [...new Set(types)];
}

function isUnreadable(part: UserPart, inputs: readonly ModelInput[]): part is MediaPart {
  return isMediaPart(part) && !inputs.includes(part.type);
}

function named(part: UserPart, inputs: readonly ModelInput[]): UserPart {
  if (!isUnreadable(part, inputs)) return part;
  const { attached, cannot } = CONTENT_PARTS[part.type].media;
  return { type: 'text', text: `[The user attached ${attached} here; ${cannot}. Tell the user so.]` };
}
