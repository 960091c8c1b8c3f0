import type { Clock, CommitOutcome, Durability, RunCommit, RunStatus } from '@toolyard/protocol';
import { mediaProblem } from '../media.ts';
import { SQLITE, sqliteCode } from '../storage-error.ts';
import { encodeJson } from '../text.ts';
import type { SqliteConnection } from './connection.ts';
import { createInterruptWriter } from './interrupts.ts';
import { createLedgerWriter } from './ledger.ts';
import { createMessageWriter, Refusal } from './message-rows.ts';
import type { SyncRunStore } from './run-rows.ts';
import { ACTIVE, isFinal } from './run-rows.ts';

/** What a refusal of the run's row is by: fence and seq are the caller's, the lease was not given back, it is not over. */
const MINE = `id = ? AND fence = ? AND last_seq = ? AND lease_owner IS NOT NULL AND status IN ${ACTIVE}`;

type Claimed = { owner_id: string; conversation_id: string };

/** The hot path: everything the runs of a process have to write, in one transaction. */
export function createCommit(connection: SqliteConnection, clock: Clock): SyncRunStore['commit'] {
  // Two statements, because naming a column in SET rewrites its indexes even where the value stays.
  const advance = connection.prepare(
    `UPDATE runs SET last_seq = ?, updated_at = ? WHERE ${MINE} RETURNING owner_id, conversation_id`,
  );
  const advanceTo = connection.prepare(`
    UPDATE runs SET last_seq = ?, updated_at = ?, status = ?, ended_at = ?,
      lease_owner = iif(?, NULL, lease_owner), lease_until = iif(?, NULL, lease_until)
    WHERE ${MINE} RETURNING owner_id, conversation_id`);
  const position = connection.prepare('SELECT fence, last_seq, status FROM runs WHERE id = ?');
  const insertEvent = connection.prepare(`
    INSERT INTO run_events (run_id, seq, owner_id, v, step, attempt, at, type, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const saveState = connection.prepare(`
    INSERT INTO run_states (run_id, owner_id, state) VALUES (?, ?, ?)
    ON CONFLICT (run_id) DO UPDATE SET state = excluded.state`);
  const take = connection.prepare('UPDATE run_inbox SET taken_at = ? WHERE run_id = ? AND id = ? AND taken_at IS NULL');
  const waits = connection.prepare('SELECT 1 FROM run_inbox WHERE run_id = ? AND taken_at IS NULL LIMIT 1');
  const messages = createMessageWriter(connection);
  const ledger = createLedgerWriter(connection);
  const interrupts = createInterruptWriter(connection);

  function commitItem(item: RunCommit): CommitOutcome {
    const texts = encodeItem(item);
    if ('problem' in texts) return { outcome: 'invalid', problem: texts.problem };
    // Once the row is claimed, events and state that were looked over can only fail with the disk, and that fails all:
    // a savepoint would cost more than they do.
    if (isPlain(item)) return write(item, texts);
    try {
      return connection.savepoint(() => write(item, texts));
    } catch (error) {
      if (isItemsOwnFault(error)) return { outcome: 'invalid', problem: error.message };
      throw error;
    }
  }

  /** Most of the time one run alone has something to write: what undoes it is the transaction itself. */
  function commitAlone(item: RunCommit): CommitOutcome {
    const texts = encodeItem(item);
    if ('problem' in texts) return { outcome: 'invalid', problem: texts.problem };
    try {
      return connection.transaction('commit', durabilityOf([item]), () => {
        try {
          return write(item, texts);
        } catch (error) {
          throw isItemsOwnFault(error) ? new Refusal(error.message) : error;
        }
      });
    } catch (error) {
      if (error instanceof Refusal) return { outcome: 'invalid', problem: error.message };
      throw error;
    }
  }

  function write(item: RunCommit, texts: ItemTexts): CommitOutcome {
    const { runId, events } = item;
    const lastSeq = item.baseSeq + events.length;
    const at = events.at(-1)?.at ?? clock.now();
    const claimed = claim(item, lastSeq, at);
    if (claimed === undefined) return { outcome: 'stale', now: positionOf(runId) };

    const ownerId = claimed.owner_id;
    for (const [index, { v, seq, step, attempt, at, type }] of events.entries()) {
      insertEvent.run(runId, seq, ownerId, v, step, attempt, at, type, texts.bodies[index] ?? '');
    }
    if (texts.state !== null) saveState.run(runId, ownerId, texts.state);
    for (const { conversationId, message } of item.messages ?? []) {
      messages.write(message, { conversationId, ownerId, runId });
    }
    if (item.leaf) messages.moveLeaf(item.leaf, { conversationId: claimed.conversation_id, at });
    for (const change of item.ledger ?? []) ledger.apply(change, { runId, ownerId, at });
    if (item.interrupts) interrupts.apply(item.interrupts, { runId, ownerId, at });
    for (const id of item.taken ?? []) {
      if (take.run(at, runId, id).changes === 0) throw new Refusal(`inbox item ${id} is not there to be taken`);
    }
    if (item.status === undefined && !item.release) return { outcome: 'committed', lastSeq };
    if (item.status !== undefined && isFinal(item.status)) interrupts.withdrawAll(runId, at);
    return { outcome: 'committed', lastSeq, ...(waits.get(runId) ? { inboxWaits: true as const } : {}) };
  }

  function claim(item: RunCommit, lastSeq: number, at: number): Claimed | undefined {
    const { runId, fence, baseSeq, status } = item;
    if (status === undefined && !item.release)
      return advance.get(lastSeq, at, runId, fence, baseSeq) as Claimed | undefined;
    const now = status ?? positionOf(runId)?.status;
    if (now === undefined) return undefined;
    const ends = isFinal(now);
    const gives = ends || item.release ? 1 : 0;
    return advanceTo.get(lastSeq, at, now, ends ? at : null, gives, gives, runId, fence, baseSeq) as
      Claimed | undefined;
  }

  function positionOf(runId: string): { fence: number; lastSeq: number; status: RunStatus } | null {
    const row = position.get(runId) as { fence: number; last_seq: number; status: RunStatus } | undefined;
    return row === undefined ? null : { fence: row.fence, lastSeq: row.last_seq, status: row.status };
  }

  return (items) => {
    const [only] = items;
    if (only === undefined) return [];
    if (items.length === 1) return [commitAlone(only)];
    return connection.transaction('commit', durabilityOf(items), () => items.map(commitItem));
  };
}

/** Nobody may learn of a power cut that a call was made which the ledger does not know. */
function durabilityOf(items: readonly RunCommit[]): Durability {
  const full = (item: RunCommit): boolean =>
    item.durability === 'full' ||
    (item.ledger?.some((change) => change.change === 'move' && change.to === 'sent') ?? false);
  return items.some(full) ? 'full' : 'normal';
}

function isPlain(item: RunCommit): boolean {
  const { messages, leaf, ledger, interrupts, taken } = item;
  return !messages?.length && !leaf && !ledger?.length && !interrupts && !taken?.length;
}

type ItemTexts = { bodies: string[]; state: string | null };

/** The texts to store; a problem where the item contradicts itself. */
function encodeItem(item: RunCommit): ItemTexts | { problem: string } {
  const bodies: string[] = [];
  let due = item.baseSeq;
  try {
    for (const event of item.events) {
      const { v: _v, seq, runId, step, attempt, at, ...body } = event;
      if (runId !== item.runId) return { problem: `an event of run ${runId} among those of ${item.runId}` };
      if (seq !== ++due) return { problem: `event ${seq} where ${due} was due in run ${item.runId}` };
      if (![step, attempt, at].every(Number.isSafeInteger))
        return { problem: `event ${seq} of run ${item.runId} has a step, attempt or time that is no integer` };
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

/** Refused, no JSON, or against a constraint of the tables: no other item need suffer for it. */
function isItemsOwnFault(error: unknown): error is Error {
  return error instanceof Refusal || error instanceof TypeError || sqliteCode(error) === SQLITE.constraint;
}
