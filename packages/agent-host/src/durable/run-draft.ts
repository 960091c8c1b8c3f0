import type {
  FactEvent,
  Interrupt,
  InterruptAnswer,
  InterruptMode,
  LedgerChange,
  Message,
  RunEvent,
  RunEventBody,
  RunStatus,
  UsageEntry,
} from '@toolyard/protocol';
import { ignoreEvent } from '@toolyard/protocol';
import type { RunLost } from './run-lost.ts';
import { holdsLargeMedia } from './large-media.ts';

/** The place of an event in a run. */
export type StepStamp = { step: number; attempt: number };

/** Data that a run stores at a point from which it can continue. */
export type SaveRequest = {
  state?: object;
  /** A final status ends the run; `parked` parks it. Both release the lease. */
  status?: RunStatus;
  /** Inbox items that this save applies. */
  taken?: readonly string[];
  /** Queued messages that are part of the conversation from now on. */
  unqueued?: readonly string[];
};

/** `inboxWaits`: the run is parked, but received an inbox item in the meantime. */
export type SaveOutcome = { inboxWaits: boolean };

/** One item for a run to store. */
export type RunWrite =
  | { kind: 'event'; stamp: StepStamp; body: RunEventBody }
  | { kind: 'message'; message: Message; leaf: { from: string | null; to: string } | null }
  | { kind: 'ledger'; change: LedgerChange }
  | { kind: 'opened'; interrupt: Interrupt; mode: InterruptMode }
  | { kind: 'answered'; id: string; answer: InterruptAnswer }
  | { kind: 'withdrawn'; id: string }
  | { kind: 'used'; entry: UsageEntry }
  | { kind: 'save'; save: SaveRequest }
  | { kind: 'waiter'; waiter: Waiter };

/** A caller that waits until all items so far are stored. */
type Waiter = { resolve: (saved: SaveOutcome) => void; reject: (lost: RunLost) => void };

/** The items of a run since the last collection. */
export type CommitDraft = {
  events: RunEvent[];
  messages: { conversationId: string; message: Message }[];
  leaf?: { from: string | null; to: string };
  ledger: LedgerChange[];
  opened: { interrupt: Interrupt; mode: InterruptMode }[];
  answered: { id: string; answer: InterruptAnswer }[];
  withdrawn: string[];
  usage: UsageEntry[];
  save: SaveRequest;
  waiters: Waiter[];
};

/** Appends a delta to the previous one if that is of the same text and not collected yet. */
export function mergeDelta(last: RunEvent | undefined, body: RunEventBody): boolean {
  if (last === undefined) return false;
  switch (last.type) {
    case 'text_delta':
    case 'reasoning_delta':
      if (body.type !== last.type || body.messageId !== last.messageId) return false;
      last.text += body.text;
      return true;
    case 'tool_call_delta':
      if (body.type !== last.type || body.callId !== last.callId) return false;
      last.argumentsText += body.argumentsText;
      return true;
    default:
      ignoreEvent<FactEvent>(last);
      return false;
  }
}

/** A draft without items. */
export function emptyDraft(): CommitDraft {
  return {
    events: [],
    messages: [],
    ledger: [],
    opened: [],
    answered: [],
    withdrawn: [],
    usage: [],
    save: {},
    waiters: [],
  };
}

/** True if there is nothing to store, whether or not a caller waits. */
export function isEmpty(draft: CommitDraft): boolean {
  const { events, messages, ledger, opened, answered, withdrawn, usage, save } = draft;
  const lists = [events, messages, ledger, opened, answered, withdrawn, usage, save.taken ?? [], save.unqueued ?? []];
  return lists.every(({ length }) => length === 0) && save.state === undefined && save.status === undefined;
}

/** True if media must be moved to the blob store first. */
export function needsMedia(write: RunWrite): boolean {
  switch (write.kind) {
    case 'event':
      return isWhole(write.body) && holdsLargeMedia(write.body);
    case 'message':
      return holdsLargeMedia(write.message);
    case 'ledger':
      return write.change.change === 'move' && holdsLargeMedia(write.change.detail);
    default:
      return false;
  }
}

/** Deltas are frequent and contain no media. */
function isWhole(body: RunEventBody): boolean {
  return body.type === 'message_finished' || body.type === 'tool_finished' || body.type === 'run_started';
}
