import type { StatementSync } from 'node:sqlite';
import type { ApprovalAnswer, Interrupt, InterruptChanges, InterruptMode, StoredInterrupt } from '@toolyard/protocol';
import { decodeJson, encodeJson, scrubText } from '../text.ts';
import type { SqliteConnection } from './connection.ts';
import { Refusal } from './message-rows.ts';
import type { SyncRunStore } from './run-rows.ts';
import { ACTIVE } from './run-rows.ts';

export type InterruptWriter = {
  /** Carries out what a commit says of its run's interrupts. Throws {@link Refusal}. */
  apply(changes: InterruptChanges, of: { runId: string; ownerId: string; at: number }): void;
  /** Nobody is asked for a run that is over. */
  withdrawAll(runId: string, at: number): void;
};

/** The statements a commit writes interrupts with. To be used inside a transaction. */
export function createInterruptWriter(connection: SqliteConnection): InterruptWriter {
  const open = connection.prepare(`
    INSERT INTO interrupts (id, run_id, owner_id, mode, status, interrupt, opened_at) VALUES (?, ?, ?, ?, 'open', ?, ?)
    ON CONFLICT (id) DO UPDATE SET
      mode = iif(status = 'open', excluded.mode, mode),
      interrupt = iif(status = 'open', excluded.interrupt, interrupt)
    WHERE run_id = excluded.run_id AND status <> 'withdrawn'`);
  const answer = connection.prepare(`
    UPDATE interrupts SET status = 'answered', answer = ?, answered_at = ? WHERE id = ? AND run_id = ? AND status = 'open'`);
  const withdraw = connection.prepare(
    `UPDATE interrupts SET status = 'withdrawn', answered_at = ? WHERE id = ? AND run_id = ? AND status = 'open'`,
  );
  const withdrawAll = connection.prepare(
    `UPDATE interrupts SET status = 'withdrawn', answered_at = ? WHERE run_id = ? AND status = 'open'`,
  );

  return {
    apply(changes, { runId, ownerId, at }) {
      for (const { interrupt, mode } of changes.opened ?? []) {
        const { id } = interrupt;
        if (open.run(id, runId, ownerId, mode, encodeJson(interrupt), at).changes === 0)
          throw new Refusal(`interrupt ${id} cannot be opened: it was withdrawn, or belongs to another run`);
      }
      for (const { id, answer: given } of changes.answered ?? []) {
        if (answer.run(encodeJson(given), at, id, runId).changes === 0)
          throw new Refusal(`interrupt ${id} is not open`);
      }
      for (const id of changes.withdrawn ?? []) {
        if (withdraw.run(at, id, runId).changes === 0) throw new Refusal(`interrupt ${id} is not open`);
      }
    },
    withdrawAll(runId, at) {
      withdrawAll.run(at, runId);
    },
  };
}

type InterruptRow = {
  id: string;
  run_id: string;
  conversation_id: string;
  mode: string;
  status: string;
  interrupt: string;
  answer: string | null;
  opened_at: number;
  answered_at: number | null;
};

/** The doors' side: listing what is asked, and answering it. */
export function createInterruptDoor(
  connection: SqliteConnection,
): Pick<SyncRunStore, 'listInterrupts' | 'answerInterrupt'> {
  // A parameter that may be null keeps an index from being used: what narrows most is written out.
  const list = (narrowed: string): StatementSync =>
    connection.prepare(`
      SELECT i.id, i.run_id, r.conversation_id, i.mode, i.status, i.interrupt, i.answer, i.opened_at, i.answered_at
      FROM interrupts AS i JOIN runs AS r ON r.id = i.run_id
      WHERE i.owner_id = ?1 AND ${narrowed} AND (?2 IS NULL OR i.status = ?2) AND (?3 IS NULL OR i.run_id = ?3)
        AND (?4 IS NULL OR r.conversation_id = ?4)
      ORDER BY i.opened_at, i.id LIMIT ?5`);
  const listAll = list('true');
  const listOfStatus = list('i.status = ?2');
  const listOfRun = list('i.run_id = ?3');
  const find = connection.prepare('SELECT run_id, answer FROM interrupts WHERE id = ? AND owner_id = ?');
  const answer = connection.prepare(`
    UPDATE interrupts SET status = 'answered', answer = ?, answered_at = ?
    WHERE id = ? AND owner_id = ? AND status = 'open'`);
  const put = connection.prepare(`
    INSERT INTO run_inbox (run_id, id, owner_id, kind, body, at) VALUES (?, ?, ?, 'answer', ?, ?)
    ON CONFLICT (run_id, id) DO UPDATE SET kind = 'answer', body = excluded.body, at = excluded.at, taken_at = NULL`);
  const decide = connection.prepare(`
    INSERT INTO permissions (owner_id, conversation_id, server_id, tool_name, decision, decided_at)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (owner_id, coalesce(conversation_id, ''), server_id, tool_name)
    DO UPDATE SET decision = excluded.decision, decided_at = excluded.decided_at`);
  const holder = connection.prepare(`SELECT lease_owner FROM runs WHERE id = ? AND status IN ${ACTIVE}`);

  return {
    listInterrupts({ ownerId }, { status, runId, conversationId, limit }) {
      return connection.guard(() => {
        const list = runId !== undefined ? listOfRun : status !== undefined ? listOfStatus : listAll;
        const rows = list.all(ownerId, status ?? null, runId ?? null, conversationId ?? null, limit) as InterruptRow[];
        return rows.map(toStoredInterrupt);
      });
    },
    answerInterrupt({ ownerId }, interruptId, given, at, decides) {
      return connection.transaction('answer', 'full', () => {
        const found = find.get(interruptId, ownerId) as { run_id: string; answer: string | null } | undefined;
        if (!found) return { outcome: 'not_found' };
        if (answer.run(encodeJson(given), at, interruptId, ownerId).changes === 0) {
          return { outcome: 'closed', answer: toAnswer(found.answer) };
        }
        put.run(found.run_id, `answer:${interruptId}`, ownerId, encodeJson({ interruptId, answer: given }), at);
        if (decides) {
          const { tool, conversationId, decision } = decides;
          decide.run(ownerId, conversationId, scrubText(tool.serverId), scrubText(tool.name), decision, decides.at);
        }
        const run = holder.get(found.run_id) as { lease_owner: string | null } | undefined;
        return { outcome: 'answered', runId: found.run_id, leaseOwner: run?.lease_owner ?? null };
      });
    },
  };
}

function toStoredInterrupt(row: InterruptRow): StoredInterrupt {
  return {
    id: row.id,
    runId: row.run_id,
    conversationId: row.conversation_id,
    mode: row.mode as InterruptMode,
    interrupt: decodeJson(row.interrupt) as Interrupt,
    status: row.status as StoredInterrupt['status'],
    answer: toAnswer(row.answer),
    openedAt: row.opened_at,
    answeredAt: row.answered_at,
  };
}

function toAnswer(text: string | null): ApprovalAnswer | null {
  return text === null ? null : (decodeJson(text) as ApprovalAnswer);
}
