import { groupView } from '../../groups/group-call.ts';
import { isBetweenCalls } from '../../transcript/displayed-rows.ts';
import type { ReasoningBlock, RowBlock } from '../../transcript/rows.ts';
import type { CallView } from '../../transcript/calls.ts';
import { callStatus, needsAnswer, shownDuration } from './call-status.ts';
import { listImages } from './media-content.ts';

type CallBlock = Extract<RowBlock, { type: 'call' }>;

/** A block of a message and its index there. */
type PlacedBlock<B extends RowBlock = RowBlock> = { block: B; place: number };
export type GroupItem = PlacedBlock<CallBlock | ReasoningBlock>;

/**
 * A part of an answer: one block, calls that follow one another with the reasoning between them, or the outcome of a
 * decision of a group.
 */
export type AnswerSegment =
  | ({ type: 'block'; key: string } & PlacedBlock<Exclude<RowBlock, CallBlock>>)
  | { type: 'outcome'; key: string; call: CallView }
  | { type: 'calls'; key: string; items: readonly GroupItem[] };

/** The blocks with consecutive calls grouped. A single call is a group too, so that a second one does not move it. */
export function toSegments(blocks: readonly RowBlock[]): readonly AnswerSegment[] {
  const segments: AnswerSegment[] = [];
  /** The last group, while nothing but {@link between} followed it. */
  let group: { type: 'calls'; key: string; items: GroupItem[] } | null = null;
  let between: PlacedBlock[] = [];
  blocks.forEach((block, place) => {
    const view = block.type === 'call' ? groupView(block.call) : 'card';
    if (view === 'hidden') return;
    if (block.type === 'call' && view === 'outcome') {
      segments.push({ type: 'outcome', key: block.call.callId, call: block.call });
      group = null;
      return;
    }
    if (block.type === 'call') {
      if (group === null) {
        group = { type: 'calls', key: block.call.callId, items: [] };
        segments.push(group);
      } else {
        segments.length -= between.length;
        for (const item of between) if (item.block.type === 'reasoning') group.items.push(item as GroupItem);
      }
      group.items.push({ block, place });
      between = [];
      return;
    }
    if (group !== null && isBetweenCalls(block)) between.push({ block, place });
    else group = null;
    segments.push({ type: 'block', key: String(place), block, place });
  });
  return segments;
}

/** Which calls of a group stay visible while it is collapsed, and what its summary says. */
export type GroupSummary = {
  calls: readonly CallView[];
  /** How many ended otherwise than well. */
  failed: number;
  denied: number;
  stopped: number;
  /** In milliseconds; null if the duration of a call is unknown. */
  durationMs: number | null;
  hidden: ReadonlySet<string>;
};

/** Fewer than this are not worth a group: its summary would be as high as what it hides. */
const MIN_HIDDEN = 2;

/**
 * Only calls that ended well, or that the user ended, are ever hidden: an open interrupt, a call in progress, a failure
 * and images stay visible. `keep`: whether a call stays visible for another reason.
 */
export function summarizeGroup(items: readonly GroupItem[], keep: (call: CallView) => boolean): GroupSummary {
  const calls = items.flatMap(({ block }) => (block.type === 'call' ? [block.call] : []));
  const hidden = new Set(calls.filter((call) => canHide(call) && !keep(call)).map(({ callId }) => callId));
  const durations = calls.map(shownDuration);
  return {
    calls,
    failed: calls.filter(isFailed).length,
    denied: calls.filter((call) => callStatus(call).kind === 'refused').length,
    stopped: calls.filter((call) => callStatus(call).kind === 'cancelled').length,
    durationMs: durations.every((ms) => ms !== null) ? durations.reduce((sum, ms) => sum + ms, 0) : null,
    hidden: hidden.size < MIN_HIDDEN ? new Set() : hidden,
  };
}

function canHide(call: CallView): boolean {
  const { kind } = callStatus(call);
  if (kind === 'done') return call.result === null || listImages(call.result).length === 0;
  return kind === 'refused' || kind === 'cancelled';
}

function isFailed(call: CallView): boolean {
  const { kind } = callStatus(call);
  return kind === 'failed' || kind === 'malformed' || kind === 'unknown';
}

/** The state of a group as a whole: the most urgent of its calls. */
export function groupState(calls: readonly CallView[]): 'asks' | 'running' | 'failed' | 'done' {
  const states = calls.map(callStatus);
  if (states.some(needsAnswer)) return 'asks';
  if (states.some(({ kind }) => ['writing', 'waiting', 'queued', 'running'].includes(kind))) return 'running';
  return calls.some(isFailed) ? 'failed' : 'done';
}

/** "search ×2, read_file", in the order of the first calls; names beyond `max` are counted. */
export function groupNames(titles: readonly string[], max = 4): { names: string; more: number } {
  const counts = new Map<string, number>();
  for (const title of titles) counts.set(title, (counts.get(title) ?? 0) + 1);
  const entries = [...counts].map(([title, count]) => (count === 1 ? title : `${title} ×${String(count)}`));
  return { names: entries.slice(0, max).join(', '), more: Math.max(0, entries.length - max) };
}
