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

/** Where in a run something happens. */
export type StepStamp = { step: number; attempt: number };

/** What a run stores when it is at a point from which it can go on. */
export type SaveRequest = {
  state?: object;
  /** A final one ends the run; `parked` lets it rest. Both give the lease back. */
  status?: RunStatus;
  /** Inbox items whose effect is stored with it. */
  taken?: readonly string[];
  /** Queued messages that stand in the conversation with it. */
  unqueued?: readonly string[];
};

/** `inboxWaits`: the run rests now, but somebody has said something to it in the meantime. */
export type SaveOutcome = { inboxWaits: boolean };

/** One thing a run hands over to be stored. */
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

/** Somebody who waits for all that was handed over before. */
type Waiter = { resolve: (saved: SaveOutcome) => void; reject: (lost: RunLost) => void };

/** What a run has handed over since it was last collected. */
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

/** Puts a delta to the one before it that nobody has seen yet, if it is of the same text. */
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

/** Nothing yet. */
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

/** True where there is nothing to store, whoever waits. */
export function isEmpty(draft: CommitDraft): boolean {
  const { events, messages, ledger, opened, answered, withdrawn, usage, save } = draft;
  const lists = [events, messages, ledger, opened, answered, withdrawn, usage, save.taken ?? [], save.unqueued ?? []];
  return lists.every(({ length }) => length === 0) && save.state === undefined && save.status === undefined;
}

/** True where media has to be moved to the blob store first. */
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

/** Deltas come by the thousand and hold no media. */
function isWhole(body: RunEventBody): boolean {
  return body.type === 'message_finished' || body.type === 'tool_finished' || body.type === 'run_started';
}
