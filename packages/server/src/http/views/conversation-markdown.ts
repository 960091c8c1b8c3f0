import type {
  AssistantPart,
  Message,
  MessageTranslation,
  ToolContentPart,
  ToolResult,
  UserPart,
} from '@toolyard/protocol';
import { labelOf } from '@toolyard/protocol';

/** A branch of a conversation as Markdown. Message texts are unchanged. */
export function conversationMarkdown(
  title: string,
  messages: readonly Message[],
  translations: readonly MessageTranslation[] = [],
): string {
  const heading = title.replace(/\s+/g, ' ').trim();
  const byMessage = new Map(translations.map((translation) => [translation.messageId, translation]));
  const sections = messages
    .flatMap((message) => [section(message), translated(byMessage.get(message.id))])
    .filter((text) => text !== '');
  return `${[`# ${heading === '' ? 'Conversation' : heading}`, ...sections].join('\n\n')}\n`;
}

function translated(translation: MessageTranslation | undefined): string {
  return translation === undefined ? '' : `### Translation (${translation.to})\n\n${translation.content}`;
}

function section(message: Message): string {
  switch (message.role) {
    case 'system':
      return `## Instructions\n\n${message.parts.map((part) => part.text).join('\n\n')}`;
    case 'user':
      return `## You\n\n${message.parts.map(userPart).join('\n\n')}`;
    case 'assistant': {
      const text = message.parts.map(assistantPart).filter((part) => part !== '');
      const cut = message.finishReason === 'cancelled' ? ['*(stopped)*'] : [];
      return [`## ${message.model}`, ...text, ...cut].join('\n\n');
    }
    case 'tool':
      return [`### Result of ${message.name}`, ...result(message.parts[0].result)].join('\n\n');
  }
}

function userPart(part: UserPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'resource':
      return [`*(${labelOf(part)})*`, ...(part.text === undefined ? [] : [fenced(part.text)])].join('\n\n');
    case 'prompt':
      return [`*(${labelOf(part)})*`, ...part.messages.map(({ content }) => resultPart(content))].join('\n\n');
    default:
      return `*(${labelOf(part)})*`;
  }
}

function assistantPart(part: AssistantPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return part.text === '' ? '' : quoted(part.text);
    case 'tool_call':
      return `### Call of ${part.name}\n\n${fenced(JSON.stringify(part.arguments, null, 2), 'json')}`;
    case 'malformed_tool_call':
      return `### Call that could not be read\n\n${fenced(part.raw)}`;
    default:
      return `*(${labelOf(part)})*`;
  }
}

function result({ content, structured, isError }: ToolResult): string[] {
  const parts = content.map(resultPart);
  const data =
    structured === undefined || content.length > 0 ? [] : [fenced(JSON.stringify(structured, null, 2), 'json')];
  return [...(isError ? ['*(an error)*'] : []), ...parts, ...data];
}

/** Content of a server, which is not ours: text in a fence. */
function resultPart(part: ToolContentPart): string {
  return part.type === 'text' ? fenced(part.text) : userPart(part);
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/** A fence longer than any in the text, so that the text cannot close it. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
