import type { AnswerOutcome, ApprovalAnswer, Interrupt, InterruptChanges, StoredInterrupt } from '@toolyard/protocol';
import { decodeJson, encodeJson, scrubText } from '../text.ts';
import type { StorageEngine } from '../engine/engine.ts';
import type { Statement, StoreWork } from '../engine/work.ts';
import { statements, transaction } from '../engine/work.ts';
import { createAnswerSideEffects } from './answer-side-effects.ts';
import { createWebhookNotifier } from './webhook-notifications.ts';
import { MessageRefusal } from './message-rows.ts';
import type { RunJobs } from './run-jobs.ts';
import { ACTIVE_STATUSES } from './run-rows.ts';

/** The user answered concurrently what the run was about to answer itself. */
export class InterruptConflict extends Error {}

export type InterruptWriter = {
  /** Applies a commit's changes of its run's interrupts. Throws {@link MessageRefusal} or {@link InterruptConflict}. */
  apply(changes: InterruptChanges, of: { runId: string; ownerId: string; at: number }): StoreWork<void>;
  /** Withdraws the open interrupts of a run that ended. */
  withdrawAll(runId: string, at: number): StoreWork<void>;
};

/** The statements by which a commit writes interrupts. Use them within a transaction. */
export function createInterruptWriter(engine: StorageEngine): InterruptWriter {
  const open = engine.prepare(`
    INSERT INTO interrupts (id, run_id, owner_id, mode, status, interrupt, opened_at) VALUES (?, ?, ?, ?, 'open', ?, ?)
    ON CONFLICT (id) DO UPDATE SET
      mode = CASE WHEN interrupts.status = 'open' THEN excluded.mode ELSE interrupts.mode END,
      interrupt = CASE WHEN interrupts.status = 'open' THEN excluded.interrupt ELSE interrupts.interrupt END
    WHERE interrupts.run_id = excluded.run_id AND interrupts.status <> 'withdrawn'`);
  const answer = engine.prepare(`
    UPDATE interrupts SET status = 'answered', answer = ?, answered_at = ? WHERE id = ? AND run_id = ? AND status = 'open'`);
  const answerWaits = engine.prepare('SELECT 1 FROM run_inbox WHERE run_id = ? AND id = ? AND taken_at IS NULL');
  const notifier = createWebhookNotifier(engine);
  const withdraw = engine.prepare(
    `UPDATE interrupts SET status = 'withdrawn', answered_at = ? WHERE id = ? AND run_id = ? AND status = 'open'`,
  );
  const withdrawAll = engine.prepare(
    `UPDATE interrupts SET status = 'withdrawn', answered_at = ? WHERE run_id = ? AND status = 'open'`,
  );

  return {
    *apply(changes, { runId, ownerId, at }) {
      for (const { interrupt, mode } of changes.opened ?? []) {
        const { id } = interrupt;
        if ((yield* open.run(id, runId, ownerId, mode, encodeJson(interrupt), at)) === 0)
          throw new MessageRefusal(`interrupt ${id} cannot be opened: it was withdrawn, or belongs to another run`);
        yield* notifier.interrupt(id, { runId, ownerId, at });
      }
      for (const { id, answer: value } of changes.answered ?? []) {
        if ((yield* answer.run(encodeJson(value), at, id, runId)) > 0) continue;
        if (yield* answerWaits.get(runId, `answer:${id}`)) throw new InterruptConflict();
        throw new MessageRefusal(`interrupt ${id} is not open`);
      }
      for (const id of changes.withdrawn ?? []) {
        // An interrupt that was answered concurrently stays answered.
        yield* withdraw.run(at, id, runId);
      }
    },
    *withdrawAll(runId, at) {
      yield* withdrawAll.run(at, runId);
    },
  };
}

type InterruptRow = Omit<StoredInterrupt, 'interrupt' | 'answer'> & { interrupt: string; answer: string | null };

const SELECT_INTERRUPTS = `
  SELECT i.id, i.run_id AS "runId", r.conversation_id AS "conversationId", i.mode, i.status, i.interrupt, i.answer,
    i.opened_at AS "openedAt", i.answered_at AS "answeredAt"
  FROM interrupts AS i JOIN runs AS r ON r.id = i.run_id`;

/** The API for clients: lists interrupts and answers them. */
export function createInterruptCommands(
  engine: StorageEngine,
): Pick<RunJobs, 'listInterrupts' | 'getInterrupt' | 'countInterrupts' | 'answerInterrupt'> {
  // Nullable parameters prevent the use of an index, so the most selective condition is part of the SQL.
  const list = (condition: string): Statement<InterruptRow> =>
    engine.prepare(`
      ${SELECT_INTERRUPTS} WHERE i.owner_id = ?1 AND ${condition} AND (CAST(?2 AS TEXT) IS NULL OR i.status = ?2) AND (CAST(?3 AS TEXT) IS NULL OR i.run_id = ?3)
        AND (CAST(?4 AS TEXT) IS NULL OR r.conversation_id = ?4)
        AND (CAST(?6 AS BIGINT) IS NULL OR (i.opened_at, i.id) > (?6, CAST(?7 AS TEXT)))
      ORDER BY i.opened_at, i.id LIMIT ?5`);
  const one = engine.prepare<InterruptRow>(`${SELECT_INTERRUPTS} WHERE i.id = ? AND i.owner_id = ?`);
  const listAll = list('true');
  const listOfStatus = list('i.status = ?2');
  const listOfRun = list('i.run_id = ?3');
  const count = engine.prepare<{ open: number }>(
    `SELECT count(*) AS open FROM interrupts WHERE owner_id = ? AND status = 'open'`,
  );
  const find = engine.prepare<{ run_id: string }>('SELECT run_id FROM interrupts WHERE id = ? AND owner_id = ?');
  const answer = engine.prepare(`
    UPDATE interrupts SET status = 'answered', answer = ?, answered_at = ?
    WHERE id = ? AND owner_id = ? AND status = 'open'`);
  const put = engine.prepare(`
    INSERT INTO run_inbox (run_id, id, owner_id, kind, body, at) VALUES (?, ?, ?, 'answer', ?, ?)
    ON CONFLICT (run_id, id) DO UPDATE SET kind = 'answer', body = excluded.body, at = excluded.at, taken_at = NULL`);
  const decide = engine.prepare(`
    INSERT INTO permissions (owner_id, conversation_id, server_id, tool_name, decision, decided_at, origin)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (owner_id, coalesce(conversation_id, ''), server_id, tool_name)
    DO UPDATE SET decision = excluded.decision, decided_at = excluded.decided_at, origin = excluded.origin`);
  // Locked before any write, in the order of all writers: a run cannot park or end without seeing the answer.
  const holder = engine.prepare<{ lease_owner: string | null; active: number }>(`
    SELECT lease_owner, CASE WHEN status IN ${ACTIVE_STATUSES} THEN 1 ELSE 0 END AS active
    FROM runs WHERE id = ?${engine.sql.holdRow}`);
  const keep = createAnswerSideEffects(engine);
  const now = engine.prepare<{ status: string; answer: string | null }>(
    `SELECT status, answer FROM interrupts WHERE id = ?${engine.sql.claimRow}`,
  );

  return {
    listInterrupts({ ownerId }, { status, runId, conversationId, after, limit }) {
      return statements(function* () {
        const list = runId !== undefined ? listOfRun : status !== undefined ? listOfStatus : listAll;
        const rows = yield* list.all(
          ownerId,
          status ?? null,
          runId ?? null,
          conversationId ?? null,
          limit,
          after?.openedAt ?? null,
          after?.id ?? null,
        );
        return rows.map(toStoredInterrupt);
      });
    },
    getInterrupt({ ownerId }, interruptId) {
      return statements(function* () {
        const row = yield* one.get(interruptId, ownerId);
        return row === undefined ? null : toStoredInterrupt(row);
      });
    },
    countInterrupts({ ownerId }) {
      return statements(function* () {
        return Number((yield* count.get(ownerId))?.open ?? 0);
      });
    },
    answerInterrupt({ ownerId }, interruptId, value, at, { permission, sideEffect } = {}) {
      return transaction<AnswerOutcome>('answer', 'full', function* () {
        const found = yield* find.get(interruptId, ownerId);
        if (!found) return { outcome: 'not_found' };
        const run = yield* holder.get(found.run_id);
        // Locked: the second of two concurrent answers sees the first.
        const interrupt = yield* now.get(interruptId);
        if (interrupt?.status !== 'open') return { outcome: 'closed', answer: toAnswer(interrupt?.answer ?? null) };
        if (sideEffect && !(yield* keep(sideEffect, { ownerId, at }))) return { outcome: 'no_place' };
        yield* answer.run(encodeJson(value), at, interruptId, ownerId);
        yield* put.run(found.run_id, `answer:${interruptId}`, ownerId, encodeJson({ interruptId, answer: value }), at);
        if (permission) {
          const { tool, conversationId, decision } = permission;
          yield* decide.run(
            ownerId,
            conversationId,
            scrubText(tool.serverId),
            scrubText(tool.name),
            decision,
            permission.at,
            tool.origin ?? 'server',
          );
        }
        return { outcome: 'answered', runId: found.run_id, leaseOwner: run?.active === 1 ? run.lease_owner : null };
      });
    },
  };
}

function toStoredInterrupt(row: InterruptRow): StoredInterrupt {
  return { ...row, interrupt: decodeJson(row.interrupt) as Interrupt, answer: toAnswer(row.answer) };
}

function toAnswer(text: string | null): ApprovalAnswer | null {
  return text === null ? null : (decodeJson(text) as ApprovalAnswer);
}
