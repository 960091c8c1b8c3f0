import type { Message } from './schemas/messages.ts';

/** The text of a message, without reasoning, calls or media. */
export function textOf(message: Message): string {
  let text = '';
  for (const part of message.parts) if (part.type === 'text') text += part.text;
  return text;
}
