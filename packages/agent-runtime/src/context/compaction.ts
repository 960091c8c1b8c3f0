import type { CompactedRange, Message, SystemMessage, UserMessage } from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';
import { tokensOf } from './estimate-tokens.ts';
import { memoizer } from './memoize.ts';

/** A summary that stands for the messages above it. */
export type Summary = SystemMessage & { folds: CompactedRange };

export function isSummary(message: Message): message is Summary {
  return message.role === 'system' && message.folds !== undefined;
}

/** Where the last summary of a branch is, and the first message it does not stand for; null where there is none. */
function lastFold(messages: readonly Message[]): { summary: Summary; rest: number } | null {
  for (let at = messages.length - 1; at >= 0; at--) {
    const summary = messages[at];
    if (!summary || !isSummary(summary)) continue;
    const { upTo } = summary.folds;
    for (let last = at - 1; last >= 0; last--) if (messages[last]?.id === upTo) return { summary, rest: last + 1 };
  }
  return null;
}

/** The conversation with its last summary in the place of what that stands for. */
export function withCompactedMessages(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(isSummary)) return messages;
  const fold = lastFold(messages);
  if (!fold) return messages.filter((message) => !isSummary(message));
  const { summary, rest } = fold;
  const instructions = messages[0]?.role === 'system' && !isSummary(messages[0]) ? [messages[0]] : [];
  const tail = messages.slice(Math.max(rest, instructions.length)).filter((message) => !isSummary(message));
  const [first, ...others] = tail;
  // Two messages of the person in a row are more than some chat templates take.
  if (first?.role === 'user') return [...instructions, joined(summary, first), ...others];
  return [...instructions, standing(summary), ...tail];
}

const joinedOf = memoizer<Summary, UserMessage>();
const standingOf = memoizer<Summary, UserMessage>();

function joined(summary: Summary, first: UserMessage): UserMessage {
  return joinedOf(summary, first, () => ({
    ...first,
    parts: [{ type: 'text', text: framed(summary) }, ...first.parts],
  }));
}

function standing(summary: Summary): UserMessage {
  const { id, parentId, createdAt } = summary;
  const parts: UserMessage['parts'] = [{ type: 'text', text: framed(summary) }];
  return standingOf(summary, null, () => ({ id, parentId, createdAt, role: 'user', parts }));
}

function framed(summary: Summary): string {
  const text = textOf(summary).replace(/<(?=\/?conversation-summary)/gi, '&lt;');
  return `<conversation-summary>\n${text}\n</conversation-summary>\nThe earlier part of this conversation is summed up above; it goes on from here.`;
}

/** What is to be folded: `messages` from `from` up to, not including, `to`. `before` is the summary so far. */
export type CompactionPlan = { from: number; to: number; before: Summary | null; tokens: number };

/** What of the window is kept word for word. */
const KEPT_SHARE = 0.25;
/** What has to be won for a summary to be worth its cost. */
const LEAST_SHARE = 0.1;

/**
 * Which messages to fold so that the end of the conversation, word for word, takes a quarter of the window at most; the
 * last thing said or asked for always stays. Never between a call and its results. Null where too little would be won.
 */
export function planCompaction(
  messages: readonly Message[],
  window: number,
  because: 'full' | 'refused',
): CompactionPlan | null {
  const fold = lastFold(messages);
  const from = fold?.rest ?? messages.findIndex((message) => message.role !== 'system');
  if (from === -1) return null;
  const to = placeOfCut(messages, from, window * KEPT_SHARE);
  let tokens = 0;
  let count = 0;
  for (let at = from; at < to; at++) {
    const message = messages[at];
    if (!message || isSummary(message)) continue;
    tokens += tokensOf(message);
    count++;
  }
  if (count < 2 && tokens < window * KEPT_SHARE) return null;
  if (because === 'full' && tokens < window * LEAST_SHARE) return null;
  return { from, to, before: fold?.summary ?? null, tokens };
}

/** Behind a whole turn where that is possible, and where the person speaks rather than where the model does. */
function placeOfCut(messages: readonly Message[], from: number, keep: number): number {
  let tokens = 0;
  let last = -1;
  let byModel = -1;
  let byPerson = -1;
  for (let at = messages.length - 1; at > from; at--) {
    const message = messages[at];
    if (!message || isSummary(message)) continue;
    tokens += tokensOf(message);
    if (tokens > keep && last !== -1) break;
    if (message.role === 'tool') continue;
    if (last === -1) last = at;
    if (tokens > keep) break;
    if (message.role === 'user') byPerson = at;
    else byModel = at;
  }
  if (byPerson !== -1) return byPerson;
  if (byModel !== -1) return byModel;
  return last === -1 ? from : last;
}
