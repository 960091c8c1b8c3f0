import type { Message, ToolContentPart, ToolMessage, ToolResult } from '@toolyard/protocol';
import { tokensOf } from './estimate-tokens.ts';
import { mapUnlessSame, memoizer } from './memoize.ts';

/** What a model gets of one tool result, in tokens; the whole stays in the conversation. */
export const MAX_TOOL_RESULT_TOKENS = 25_000;

const capped = memoizer<ToolMessage, ToolMessage>();

/** No result is longer than a model can deal with; in a small window it is a quarter of that. */
export function withCappedToolResults(
  messages: readonly Message[],
  { window }: { window?: number },
): readonly Message[] {
  const most = Math.min(MAX_TOOL_RESULT_TOKENS, window === undefined ? Infinity : Math.floor(window / 4));
  const cutTo = cutFor('ask for a smaller piece');
  return mapUnlessSame(messages, (message) => {
    if (message.role !== 'tool' || isSurelyWithin(message.parts[0].result, most)) return message;
    return capped(message, most, () => capMessage(message, most, cutTo));
  });
}

/** A character is a token at most. */
function isSurelyWithin({ content, structured }: ToolResult, tokens: number): boolean {
  let characters = 0;
  let hasText = structured === undefined;
  for (const part of content) {
    hasText ||= part.type === 'text';
    if (part.type === 'text' || part.type === 'resource') characters += part.text?.length ?? 0;
  }
  return hasText && characters <= tokens;
}

/** Results that stay whole whatever happens: the model is working with them. */
const FRESH = 6;
/** Results are trimmed by that many at once, for each time costs the provider's cache of what was before. */
const TRIMMED_AT_ONCE = 8;
const STALE_TOKENS = 300;
/** Nothing is trimmed while there is room. */
const ROOM = 0.5;

const trimmed = memoizer<ToolMessage, ToolMessage>();

/** Once half of the window is used, old results are cut to their beginning: what counts of them has been said since. */
export function withTrimmedResults(messages: readonly Message[], { window }: { window?: number }): readonly Message[] {
  if (window === undefined) return messages;
  let tokens = 0;
  let results = 0;
  for (const message of messages) {
    tokens += tokensOf(message);
    if (message.role === 'tool') results++;
  }
  if (tokens < window * ROOM) return messages;
  let stale = Math.floor(Math.max(0, results - FRESH) / TRIMMED_AT_ONCE) * TRIMMED_AT_ONCE;
  if (stale === 0) return messages;
  const cutTo = cutFor('it was read long ago; call again if the rest is needed');
  return mapUnlessSame(messages, (message) => {
    if (message.role !== 'tool' || stale-- <= 0) return message;
    return trimmed(message, null, () => capMessage(message, STALE_TOKENS, cutTo));
  });
}

type CutNote = (shown: number, whole: number) => string;

function cutFor(advice: string): CutNote {
  return (shown, whole) => `\n[cut: ${shown} of ${whole} characters shown; ${advice}]`;
}

function capMessage(message: ToolMessage, tokens: number, note: CutNote): ToolMessage {
  const [part] = message.parts;
  const result = capResult(part.result, tokens, note);
  return result === part.result ? message : { ...message, parts: [{ ...part, result }] };
}

function capResult(result: ToolResult, most: number, note: CutNote): ToolResult {
  let left = most;
  let changed = false;
  const content = result.content.map((part): ToolContentPart => {
    if ((part.type !== 'text' && part.type !== 'resource') || part.text === undefined) return part;
    const fits = prefixWithin(part.text, left);
    left -= fits.tokens;
    if (fits.end === part.text.length) return part;
    changed = true;
    return { ...part, text: part.text.slice(0, fits.end) + note(fits.end, part.text.length) };
  });
  // Structured content says the same again for programs; a model gets it only where there is no text.
  if (result.structured !== undefined && !content.some((part) => part.type === 'text')) {
    const text = JSON.stringify(result.structured);
    const { end } = prefixWithin(text, left);
    if (end < text.length) {
      const { structured: _tooLarge, ...rest } = result;
      return { ...rest, content: [...content, { type: 'text', text: text.slice(0, end) + note(end, text.length) }] };
    }
  }
  return changed ? { ...result, content } : result;
}

/** The longest prefix within `tokens`, by an estimate: four ASCII characters, or one other, to a token. */
function prefixWithin(text: string, tokens: number): { end: number; tokens: number } {
  let quarters = 0;
  const limit = tokens * 4;
  let end = 0;
  for (; end < text.length; end++) {
    const cost = text.charCodeAt(end) < 128 ? 1 : 4;
    if (quarters + cost > limit) break;
    quarters += cost;
  }
  // Never between the halves of a surrogate pair.
  if (end < text.length && end > 0 && isHighSurrogate(text.charCodeAt(end - 1))) end--;
  return { end, tokens: Math.ceil(quarters / 4) };
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
