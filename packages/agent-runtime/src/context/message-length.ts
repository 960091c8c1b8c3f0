import type { ErrorInfo, Message } from '@toolyard/protocol';
import { createErrorInfo, say } from '@toolyard/protocol';
import { minTokensOfText, tokensOfText } from './estimate-tokens.ts';

/**
 * The error of the last user message if its text alone exceeds the context window, by the lowest estimate: it could only
 * be answered after it was summarized, and the user would not know that the model has not read it. Null if it fits, or
 * the window is unknown.
 */
export function messageTooLong(messages: readonly Message[], window: number | undefined): ErrorInfo | null {
  const last = messages.findLast(({ role }) => role === 'user');
  if (last === undefined || window === undefined) return null;
  const texts = last.parts.flatMap((part) =>
    (part.type === 'text' || part.type === 'resource') && part.text !== undefined ? [part.text] : [],
  );
  if (addNumbers(texts.map(minTokensOfText)) <= window) return null;
  const tokens = addNumbers(texts.map(tokensOfText));
  return createErrorInfo({
    code: 'context_exceeded',
    message: say`Your message is longer than the model's context window (${shown(tokens)} of ${shown(window)} tokens).`,
    hint: say`Shorten or split it, or choose a model with a larger context window.`,
  });
}

function addNumbers(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

function shown(tokens: number): string {
  return tokens.toLocaleString('en');
}
