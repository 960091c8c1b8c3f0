import type { Clock, CommitOutcome, Durability, RunLocation, RunCommit, RunStatus } from '@toolyard/protocol';
import type { StorageEngine, PlainItem } from '../engine/engine.ts';
import type { StoreWorkResult, RecalledResult, StoreWork } from '../engine/work.ts';
import { statements, transaction } from '../engine/work.ts';
import { mediaProblem } from '../media.ts';
import { encodeJson } from '../text.ts';
import { createWebhookNotifier } from './webhook-notifications.ts';
import { createInterruptWriter, InterruptConflict } from './interrupts.ts';
import { createLedgerWriter } from './ledger.ts';
import { createMessageWriter, MessageRefusal } from './message-rows.ts';
import { createRelativesNotifier } from './relatives-notifications.ts';
import { createNumberedCommits } from './numbered-commits.ts';
import type { RunJobs } from './run-jobs.ts';
import { isFinal, OWNED_RUN, SAVE_STATE } from './run-rows.ts';
import { createUsageWriter } from '../usage/usage-writer.ts';

const CLAIMED = 'owner_id, conversation_id, agent_id, place, parent_run_id';

type Claimed = {
  owner_id: string;
  conversation_id: string;
  agent_id: string | null;
  place: RunLocation;
  parent_run_id: string | null;
};

/** The hot path: writes all commits of the runs of a process in one transaction. */
export function createCommit(engine: StorageEngine, clock: Clock): RunJobs['commit'] {
  // Two statements, because a column in SET rewrites its indexes even if its value stays.
  const advance = engine.prepare<Claimed>(
    `UPDATE runs SET last_seq = ?, updated_at = ? WHERE ${OWNED_RUN} RETURNING ${CLAIMED}`,
  );
  const advanceTo = engine.prepare<Claimed>(`
    UPDATE runs SET last_seq = ?, updated_at = ?, status = ?, ended_at = ?,
      lease_owner = CASE WHEN ? = 1 THEN NULL ELSE lease_owner END,
      lease_until = CASE WHEN ? = 1 THEN NULL ELSE lease_until END
    WHERE ${OWNED_RUN} RETURNING ${CLAIMED}`);
  const position = engine.prepare<{ fence: number; last_seq: number; status: RunStatus }>(
    'SELECT fence, last_seq, status FROM runs WHERE id = ?',
  );
  // Waits for an open transaction with the row.
  const heldPosition = engine.prepare<{ fence: number; last_seq: number }>(
    `SELECT fence, last_seq FROM runs WHERE id = ?${engine.sql.holdRow}`,
  );
  const saveState = engine.prepare(SAVE_STATE);
  const take = engine.prepare('UPDATE run_inbox SET taken_at = ? WHERE run_id = ? AND id = ? AND taken_at IS NULL');
  const waits = engine.prepare('SELECT 1 FROM run_inbox WHERE run_id = ? AND taken_at IS NULL LIMIT 1');
  const unqueue = engine.prepare('DELETE FROM queued_messages WHERE conversation_id = ? AND owner_id = ? AND id = ?');
  const messages = createMessageWriter(engine);
  const ledger = createLedgerWriter(engine);
  const interrupts = createInterruptWriter(engine);
  const notifier = createWebhookNotifier(engine);
  const usage = createUsageWriter(engine);
  const numbers = createNumberedCommits(engine);
  const relatives = createRelativesNotifier(engine);

  function* commitItem(item: RunCommit): StoreWork<CommitOutcome> {
    const texts = encodeItem(item);
    if ('problem' in texts) return { outcome: 'invalid', problem: texts.problem };
    // After the row is claimed, validated events and state fail only with the disk, which fails the whole transaction:
    // a savepoint would cost more than the writes.
    if (isPlain(item)) return yield* write(item, texts);
    try {
      return yield* engine.savepoint(() => write(item, texts));
    } catch (error) {
      if (error instanceof InterruptConflict) return { outcome: 'overtaken' };
      if (isItemError(engine, error)) return { outcome: 'invalid', problem: error.message };
      throw error;
    }
  }

  function* write(item: RunCommit, texts: ItemTexts): StoreWork<CommitOutcome> {
    const { runId, events, numbered } = item;
    const before = numbered ? yield* numbers.readAnswer(runId, item.fence, numbered) : null;
    if (before) return before;
    const lastSeq = item.baseSeq + events.length;
    const at = events.at(-1)?.at ?? clock.now();
    const claimed = yield* claim(item, lastSeq, at);
    if (claimed === undefined) return { outcome: 'stale', now: yield* readPosition(runId) };

    const ownerId = claimed.owner_id;
    yield* engine.insertEvents(
      events.map((event, index) => ({ runId, ownerId, event, body: texts.bodies[index] ?? '' })),
    );
    if (texts.state !== null) yield* saveState.run(runId, ownerId, texts.state);
    for (const { conversationId, message } of item.messages ?? []) {
      yield* messages.write(message, { conversationId, ownerId, runId });
    }
    if (item.leaf) yield* messages.moveLeaf(item.leaf, { conversationId: claimed.conversation_id, at });
    for (const change of item.ledger ?? []) yield* ledger.apply(change, { runId, ownerId, at });
    if (item.interrupts) yield* interrupts.apply(item.interrupts, { runId, ownerId, at });
    if (item.usage?.length) {
      const { conversation_id: conversationId, agent_id: agentId, place } = claimed;
      for (const entry of item.usage) yield* usage.add(entry, { ownerId, runId, conversationId, agentId, place });
    }
    for (const id of item.taken ?? []) {
      if ((yield* take.run(at, runId, id)) === 0)
        throw new MessageRefusal(`inbox item ${id} does not exist or was already taken`);
    }
    for (const id of item.unqueued ?? []) yield* unqueue.run(claimed.conversation_id, ownerId, id);
    if (item.status !== undefined && isFinal(item.status)) {
      yield* interrupts.withdrawAll(runId, at);
      yield* notifier.end(item.status, { runId, ownerId, at });
      yield* relatives.end({ runId, parentRunId: claimed.parent_run_id, at });
    }
    const readsInbox = item.status !== undefined || item.release;
    const inboxWaits = readsInbox && (yield* waits.get(runId)) ? { inboxWaits: true as const } : {};
    const outcome = { outcome: 'committed' as const, lastSeq, ...inboxWaits };
    if (numbered) yield* numbers.keep(numbered, outcome, { runId, ownerId, fence: item.fence });
    return outcome;
  }

  function* claim(item: RunCommit, lastSeq: number, at: number): StoreWork<Claimed | undefined> {
    const { runId, fence, baseSeq, status } = item;
    if (status === undefined && !item.release) return yield* advance.get(lastSeq, at, runId, fence, baseSeq);
    const now = status ?? (yield* readPosition(runId))?.status;
    if (now === undefined) return undefined;
    const ends = isFinal(now);
    const releases = ends || item.release ? 1 : 0;
    return yield* advanceTo.get(lastSeq, at, now, ends ? at : null, releases, releases, runId, fence, baseSeq);
  }

  function* readPosition(runId: string): StoreWork<{ fence: number; lastSeq: number; status: RunStatus } | null> {
    const row = yield* position.get(runId);
    return row === undefined ? null : { fence: row.fence, lastSeq: row.last_seq, status: row.status };
  }

  /** Outcomes of the items that one statement can write together. */
  function* commitBatch(plain: ReadonlyMap<RunCommit, PlainItem>): StoreWork<Map<RunCommit, CommitOutcome>> {
    const outcomes = new Map<RunCommit, CommitOutcome>();
    if (plain.size === 0) return outcomes;
    const advanced = yield* engine.advanceBatch([...plain.values()]);
    for (const [item, { runId, lastSeq }] of plain) {
      const outcome: CommitOutcome = advanced.has(runId)
        ? { outcome: 'committed', lastSeq }
        : { outcome: 'stale', now: yield* readPosition(runId) };
      outcomes.set(item, outcome);
    }
    return outcomes;
  }

  /**
   * Only the holder of the fence advances a run: one row at the expected position proves that the whole group was
   * stored.
   */
  function* recall(
    items: readonly RunCommit[],
    known: Outcomes | null,
  ): StoreWork<RecalledResult<readonly CommitOutcome[]>> {
    let isProven = false;
    for (const [index, { runId, fence, baseSeq, events }] of items.entries()) {
      if (events.length === 0 || (known && known.result[index]?.outcome !== 'committed')) continue;
      const row = yield* heldPosition.get(runId);
      if (!row) continue;
      const isStored = row.last_seq >= baseSeq + events.length;
      // Beyond it under a later fence: written by us or by the successor.
      if (row.fence !== fence && isStored) continue;
      if (known) return isStored ? known : false;
      // An item with unknown outcome may have been stale: it proves nothing about the others.
      if (isStored) return { result: yield* recallEach(items) };
      isProven = true;
    }
    return isProven ? false : null;
  }

  /** The outcome of each item of a stored group. */
  function* recallEach(items: readonly RunCommit[]): StoreWork<CommitOutcome[]> {
    const outcomes: CommitOutcome[] = [];
    for (const { runId, fence, baseSeq, events } of items) {
      const now = yield* readPosition(runId);
      const lastSeq = baseSeq + events.length;
      const isStored = now !== null && now.fence === fence && now.lastSeq >= lastSeq;
      outcomes.push(isStored ? { outcome: 'committed', lastSeq } : { outcome: 'stale', now });
    }
    return outcomes;
  }

  return (items) => {
    if (items.length === 0) return statements(nothing);
    const plain = plainItems(items, clock);
    const job = transaction('commit', getDurability(items), function* () {
      const batched = yield* commitBatch(plain);
      const outcomes: CommitOutcome[] = [];
      for (const item of items) outcomes.push(batched.get(item) ?? (yield* commitItem(item)));
      return outcomes;
    });
    return { ...job, writesOnce: plain.size === items.length, recall: (known) => recall(items, known) };
  };
}

type Outcomes = StoreWorkResult<readonly CommitOutcome[]>;

/** Full durability for calls: a power failure must not lose the ledger entry of a call that was sent. */
function getDurability(items: readonly RunCommit[]): Durability {
  const full = (item: RunCommit): boolean =>
    item.durability === 'full' ||
    (item.ledger?.some((change) => change.change === 'move' && change.to === 'sent') ?? false);
  return items.some(full) ? 'full' : 'normal';
}

function isPlain(item: RunCommit): boolean {
  const { messages, leaf, usage, ledger, interrupts, taken, unqueued } = item;
  const lists = [messages, usage, ledger, taken, unqueued];
  return lists.every((list) => !list?.length) && !leaf && !interrupts && !item.numbered;
}

type ItemTexts = { bodies: string[]; state: string | null };

/** The texts to store; a problem if the item is inconsistent. */
function encodeItem(item: RunCommit): ItemTexts | { problem: string } {
  const bodies: string[] = [];
  let due = item.baseSeq;
  try {
    for (const event of item.events) {
      const { v: _v, seq, runId, step, attempt, at, ...body } = event;
      if (runId !== item.runId) return { problem: `an event of run ${runId} among those of ${item.runId}` };
      if (seq !== ++due) return { problem: `event ${seq} instead of ${due} in run ${item.runId}` };
      if (![step, attempt, at].every(Number.isSafeInteger))
        return { problem: `event ${seq} of run ${item.runId} has a step, attempt or time that is not an integer` };
      const text = encodeJson(body);
      const problem = mediaProblem(text, body);
      if (problem !== null) return { problem: `event ${seq} of run ${item.runId} ${problem}` };
      bodies.push(text);
    }
    return { bodies, state: item.state === undefined ? null : encodeJson(item.state) };
  } catch (error) {
    if (error instanceof TypeError) return { problem: error.message };
    throw error;
  }
}

/** Items that consist only of events and state, of runs that occur once. */
function plainItems(items: readonly RunCommit[], clock: Clock): Map<RunCommit, PlainItem> {
  const plain = new Map<RunCommit, PlainItem>();
  const seen = new Set<string>();
  const again = new Set<string>();
  for (const { runId } of items) (seen.has(runId) ? again : seen).add(runId);
  for (const item of items) {
    const { runId } = item;
    if (again.has(runId) || !isPlain(item) || item.status !== undefined || item.release) continue;
    const texts = encodeItem(item);
    if ('problem' in texts) continue;
    const { fence, baseSeq, events } = item;
    const at = events.at(-1)?.at ?? clock.now();
    plain.set(item, { runId, fence, baseSeq, lastSeq: baseSeq + events.length, at, events, ...texts });
  }
  return plain;
}

function* nothing(): StoreWork<CommitOutcome[]> {
  return [];
}

/** True for rejected items, invalid JSON and constraint violations, which do not affect other items. */
function isItemError(engine: StorageEngine, error: unknown): error is Error {
  return (
    error instanceof MessageRefusal ||
    error instanceof TypeError ||
    (error instanceof Error && engine.isConstraint(error))
  );
}
