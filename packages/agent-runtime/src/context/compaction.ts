import type { CompactedRange, Message, SystemMessage, UserMessage } from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';
import { countTokens } from './estimate-tokens.ts';
import { memoizer } from './memoize.ts';
import { hasContent } from './well-formed.ts';

/** A summary that replaces the messages above it. */
export type Summary = SystemMessage & { compaction: CompactedRange };

export function isSummary(message: Message): message is Summary {
  return message.role === 'system' && message.compaction !== undefined;
}

/**
 * The last summary of a branch, and the index of the first message that it does not replace; null without a summary.
 */
function lastCompaction(messages: readonly Message[]): { summary: Summary; rest: number } | null {
  for (let at = messages.length - 1; at >= 0; at--) {
    const summary = messages[at];
    if (!summary || !isSummary(summary)) continue;
    const { upTo } = summary.compaction;
    for (let last = at - 1; last >= 0; last--) if (messages[last]?.id === upTo) return { summary, rest: last + 1 };
  }
  return null;
}

/** The conversation with the compacted messages replaced by their summary. */
export function withCompactedMessages(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(isSummary)) return messages;
  const last = lastCompaction(messages);
  if (!last) return messages.filter((message) => !isSummary(message));
  const { summary, rest } = last;
  const instructions = messages[0]?.role === 'system' && !isSummary(messages[0]) ? [messages[0]] : [];
  const tail = messages.slice(Math.max(rest, instructions.length)).filter((message) => !isSummary(message));
  const [first, ...others] = tail;
  // Some chat templates reject two user messages in a row.
  if (first?.role === 'user') return [...instructions, joined(summary, first), ...others];
  return [...instructions, summaryMessage(summary), ...tail];
}

const joinedOf = memoizer<Summary, UserMessage>();
const summaryMessages = memoizer<Summary, UserMessage>();

function joined(summary: Summary, first: UserMessage): UserMessage {
  return joinedOf(summary, first, () => ({
    ...first,
    parts: [{ type: 'text', text: framed(summary) }, ...first.parts],
  }));
}

function summaryMessage(summary: Summary): UserMessage {
  const { id, parentId, createdAt } = summary;
  const parts: UserMessage['parts'] = [{ type: 'text', text: framed(summary) }];
  return summaryMessages(summary, null, () => ({ id, parentId, createdAt, role: 'user', parts }));
}

function framed(summary: Summary): string {
  const text = textOf(summary).replace(/<(?=\/?conversation-summary)/gi, '&lt;');
  return `<conversation-summary>\n${text}\n</conversation-summary>\nThe summary above replaces the earlier part of this conversation, which continues here.`;
}

/** The range to compact: `messages` from `from` up to, not including, `to`. `before`: the previous summary. */
export type CompactionPlan = { from: number; to: number; before: Summary | null; tokens: number };

/** Share of the window that is kept verbatim. */
const KEPT_SHARE = 0.25;
/** Minimum share of the window that a compaction must free. */
const MIN_FREED_SHARE = 0.1;

/**
 * Selects the messages to compact so that the verbatim end of the conversation takes at most a quarter of the window.
 * Always keeps the last message that the model has not answered, and never separates a call from its results. Null if it
 * would free too little.
 */
export function planCompaction(
  messages: readonly Message[],
  window: number,
  because: 'full' | 'refused',
): CompactionPlan | null {
  const last = lastCompaction(messages);
  const from = last?.rest ?? messages.findIndex((message) => message.role !== 'system');
  if (from === -1) return null;
  const to = placeOfCut(messages, from, window * KEPT_SHARE);
  let tokens = 0;
  let count = 0;
  for (let at = from; at < to; at++) {
    const message = messages[at];
    if (!message || isSummary(message)) continue;
    tokens += countTokens(message);
    count++;
  }
  if (count < 2 && tokens < window * KEPT_SHARE) return null;
  if (because === 'full' && tokens < window * MIN_FREED_SHARE) return null;
  return { from, to, before: last?.summary ?? null, tokens };
}

/** Selects all messages for a summary; null if there is nothing to summarize. */
export function planSummary(messages: readonly Message[]): CompactionPlan | null {
  const last = lastCompaction(messages);
  const from = last?.rest ?? messages.findIndex((message) => message.role !== 'system');
  if (from === -1 || (last === null && from >= messages.length)) return null;
  return { from, to: messages.length, before: last?.summary ?? null, tokens: 0 };
}

/** After a complete turn if possible, and before a user message rather than before an answer. */
function placeOfCut(messages: readonly Message[], from: number, keep: number): number {
  let tokens = 0;
  let last = -1;
  let byModel = -1;
  let byUser = -1;
  for (let at = messages.length - 1; at > from; at--) {
    const message = messages[at];
    // A request that was rejected left an answer without content, which keeps nothing of what it was to answer.
    if (!message || isSummary(message) || !hasContent(message)) continue;
    tokens += countTokens(message);
    if (tokens > keep && last !== -1) break;
    if (message.role === 'tool') continue;
    if (last === -1) last = at;
    if (tokens > keep) break;
    if (message.role === 'user') byUser = at;
    else byModel = at;
  }
  if (byUser !== -1) return byUser;
  if (byModel !== -1) return byModel;
  return last === -1 ? from : last;
}
