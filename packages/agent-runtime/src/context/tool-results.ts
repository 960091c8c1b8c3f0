import type { Message, ToolContentPart, ToolMessage, ToolResult } from '@toolyard/protocol';
import { countTokens } from './estimate-tokens.ts';
import { mapUnlessSame, memoizer } from './memoize.ts';

/** Maximum tokens of a tool result in a request; the conversation keeps the whole result. */
export const MAX_TOOL_RESULT_TOKENS = 25_000;

const capped = memoizer<ToolMessage, ToolMessage>();

/** Truncates every result to the maximum, or to a quarter of a small window. */
export function withCappedToolResults(
  messages: readonly Message[],
  { window }: { window?: number },
): readonly Message[] {
  const most = Math.min(MAX_TOOL_RESULT_TOKENS, window === undefined ? Infinity : Math.floor(window / 4));
  const cutTo = cutFor('request a smaller part');
  return mapUnlessSame(messages, (message) => {
    if (message.role !== 'tool' || isSurelyWithin(message.parts[0].result, most)) return message;
    return capped(message, most, () => capMessage(message, most, cutTo));
  });
}

/** One character is at most one token. */
function isSurelyWithin({ content, structured }: ToolResult, tokens: number): boolean {
  let characters = 0;
  let hasText = structured === undefined;
  for (const part of content) {
    hasText ||= part.type === 'text';
    if (part.type === 'text' || part.type === 'resource') characters += part.text?.length ?? 0;
  }
  return hasText && characters <= tokens;
}

/** Number of latest results that are never truncated: the model is working with them. */
const KEPT_RESULTS = 6;
/** Results are truncated in batches, since each change invalidates the provider's prompt cache from there on. */
const TRIM_BATCH = 8;
const STALE_TOKENS = 300;
/** Share of the window below which nothing is truncated. */
const TRIM_THRESHOLD = 0.5;

const trimmed = memoizer<ToolMessage, ToolMessage>();

/** Truncates old results once half of the window is used: the answers after them contain what matters. */
export function withTrimmedResults(messages: readonly Message[], { window }: { window?: number }): readonly Message[] {
  if (window === undefined) return messages;
  let tokens = 0;
  let results = 0;
  for (const message of messages) {
    tokens += countTokens(message);
    if (message.role === 'tool') results++;
  }
  if (tokens < window * TRIM_THRESHOLD) return messages;
  let stale = Math.floor(Math.max(0, results - KEPT_RESULTS) / TRIM_BATCH) * TRIM_BATCH;
  if (stale === 0) return messages;
  const cutTo = cutFor('old result; call the tool again if you need the rest');
  return mapUnlessSame(messages, (message) => {
    if (message.role !== 'tool' || stale-- <= 0) return message;
    return trimmed(message, null, () => capMessage(message, STALE_TOKENS, cutTo));
  });
}

type CutNote = (shown: number, whole: number) => string;

function cutFor(advice: string): CutNote {
  return (shown, whole) => `\n[truncated: ${shown} of ${whole} characters shown; ${advice}]`;
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
  // Structured content repeats the text for programs; the model gets it only if there is no text.
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

/** The longest prefix within `tokens`, estimated as one token per four ASCII characters or one other character. */
function prefixWithin(text: string, tokens: number): { end: number; tokens: number } {
  let quarters = 0;
  const limit = tokens * 4;
  let end = 0;
  for (; end < text.length; end++) {
    const cost = text.charCodeAt(end) < 128 ? 1 : 4;
    if (quarters + cost > limit) break;
    quarters += cost;
  }
  // Never splits a surrogate pair.
  if (end < text.length && end > 0 && isHighSurrogate(text.charCodeAt(end - 1))) end--;
  return { end, tokens: Math.ceil(quarters / 4) };
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
