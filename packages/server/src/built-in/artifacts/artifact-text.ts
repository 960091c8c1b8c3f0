import type { AnyText } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';
import { MAX_TEXT_BYTES } from './limits.ts';

/** A change of a document: all of its text, or the exact replacement of a part. */
export type TextChange = { text: string } | { oldText: string; newText: string };

/**
 * The text after a change.
 *
 * @param what the document and its version, for messages
 * @throws ToolyardError `invalid_arguments` if the part is not found or not unique, or the result is too large
 */
export function changedText(before: string, change: TextChange, what: AnyText): string {
  if ('text' in change) return checkSize(change.text);
  const { oldText, newText } = change;
  const count = before.split(oldText).length - 1;
  if (count === 1) return checkSize(before.replace(oldText, () => newText));
  throw createInvalidArgumentsError(
    count === 0
      ? say`old_text was not found in ${what}, and nothing was changed. It must match exactly, with its white space.`
      : say`old_text occurs ${count} times in ${what}, and nothing was changed. Include text around it, so that it is unique.`,
  );
}

export function checkSize(text: string): string {
  const size = Buffer.byteLength(text);
  if (size <= MAX_TEXT_BYTES) return text;
  throw createInvalidArgumentsError(
    say`The document has ${size} bytes; ${MAX_TEXT_BYTES} are the limit. Nothing was changed.`,
  );
}

/** Nothing has happened: the call may be made again. */
export function createInvalidArgumentsError(message: AnyText): ToolyardError {
  return new ToolyardError({ code: 'invalid_arguments', message });
}
