import type { AskedBy, TextCall, TextCallSource } from '@toolyard/protocol';

/** Which program asks. */
export function askedByNote({ kind, name }: AskedBy): string {
  return kind === 'key' ? `Asked by a program (key "${name}").` : `Asked by a program (incoming webhook "${name}").`;
}

const SOURCES: Record<TextCallSource['from'], string> = {
  result: 'a tool result',
  user: 'a message',
  attachment: 'an attachment',
  prompt: 'a prompt of a server',
  answer: 'an earlier answer',
  summary: 'a summary of earlier messages',
  server: 'a description by a server',
  skills: 'the list of skills',
};

/** How the model wrote the call. */
export function textCallNote({ copiedFrom, position, byUser }: TextCall): string {
  if (copiedFrom) {
    const { from, name } = copiedFrom;
    return `Written as text, copied from ${SOURCES[from]}${name === undefined ? '' : ` (${name})`}.`;
  }
  if (position === 'quote') return 'Written as text, in a quote.';
  if (position === 'code') return 'Written as text, in a code block.';
  return byUser === true ? 'Written as text; you made it a call.' : 'Written as text.';
}
