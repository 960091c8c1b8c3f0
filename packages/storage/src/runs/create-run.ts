import type { CreateRunOutcome, NewChildConversation, NewRun, Owner } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import type { StoreWorkResult, RecalledResult, StoreWork } from '../engine/work.ts';
import { transaction } from '../engine/work.ts';
import { encodeJson, scrubText } from '../text.ts';
import { createMessageWriter, MessageRefusal } from './message-rows.ts';
import type { RunJobs } from './run-jobs.ts';
import type { RunRow } from './run-rows.ts';
import { ACTIVE_STATUSES, RUN_COLUMNS, toLeasedRun, toRunRecord } from './run-rows.ts';

/** Stores a run and its message atomically. */
export function createRunCreator(engine: StorageEngine): RunJobs['createRun'] {
  const find = engine.prepare<RunRow>(`SELECT ${RUN_COLUMNS} FROM runs WHERE id = ?`);
  // Serializes concurrent starts in one conversation.
  const conversation = engine.prepare<{ parent_run_id: string | null }>(
    `SELECT parent_run_id FROM conversations WHERE id = ? AND owner_id = ? AND deleted_at IS NULL${engine.sql.claimRow}`,
  );
  // Held: a run that ends at the same time cancels the child.
  const parent = engine.prepare(
    `SELECT 1 FROM runs WHERE id = ? AND owner_id = ? AND status IN ${ACTIVE_STATUSES}${engine.sql.holdRow}`,
  );
  const addConversation = engine.prepare(`
    INSERT INTO conversations (id, owner_id, title, agent_id, configuration, leaf_id, pinned, created_at, updated_at,
      deleted_at, parent_id, parent_run_id, parent_call_id)
    SELECT ?, owner_id, ?, ?, ?, NULL, 0, CAST(? AS BIGINT), CAST(? AS BIGINT), deleted_at, id, ?, ? FROM conversations
    WHERE id = ? AND owner_id = ? ON CONFLICT (id) DO NOTHING`);
  const active = engine.prepare<{ id: string }>(
    `SELECT id FROM runs WHERE conversation_id = ? AND parent_run_id IS NULL AND status IN ${ACTIVE_STATUSES}`,
  );
  const activeChild = engine.prepare<{ id: string }>(
    `SELECT id FROM runs WHERE conversation_id = ? AND parent_run_id = ? AND status IN ${ACTIVE_STATUSES}`,
  );
  // Never before the owner's newest run, whatever the clock says: clients list runs created since the last known one.
  const insert = engine.prepare<RunRow>(`
    INSERT INTO runs (id, owner_id, conversation_id, agent_id, parent_run_id, place, status, last_seq, fence,
      lease_owner, lease_until, created_at, updated_at, started_by, origin)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8, ?9, ${engine.sql.now} + ?10,
      (SELECT MAX(at) FROM (SELECT CAST(?11 AS BIGINT) AS at
        UNION ALL SELECT MAX(created_at) FROM runs WHERE owner_id = ?2) AS moments),
      ?11, ?12, ?13) RETURNING ${RUN_COLUMNS}`);
  const keep = engine.prepare('INSERT INTO run_states (run_id, owner_id, configuration, state) VALUES (?, ?, ?, ?)');
  const addWebhook = engine.prepare('INSERT INTO run_webhooks (run_id, owner_id, url, trusted) VALUES (?, ?, ?, ?)');
  const unqueue = engine.prepare('DELETE FROM queued_messages WHERE conversation_id = ? AND id = ? AND owner_id = ?');
  const setTitle = engine.prepare(
    "UPDATE conversations SET title = ?, titled_by = 'message' WHERE id = ? AND (title = '' OR titled_by <> 'user')",
  );
  const messages = createMessageWriter(engine);
  const search = engine.searchWriter();

  function* refusal(
    { ownerId }: Owner,
    run: NewRun,
  ): StoreWork<Exclude<CreateRunOutcome, { outcome: 'created' }> | null> {
    const there = yield* conversation.get(run.conversationId, ownerId);
    const same = yield* find.get(run.id);
    if (same?.owner_id === ownerId) return { outcome: 'exists', run: toRunRecord(same) };
    if (same) throw new ToolyardError({ code: 'bad_request', message: `The id ${run.id} is taken.` });
    if (!there && !run.newConversation) return { outcome: 'not_found' };
    if (run.parentRunId !== undefined)
      return (yield* parent.get(run.parentRunId, ownerId)) ? null : { outcome: 'not_found' };
    const other =
      (yield* active.get(run.conversationId)) ??
      (there?.parent_run_id == null ? undefined : yield* activeChild.get(run.conversationId, there.parent_run_id));
    return other === undefined ? null : { outcome: 'conversation_busy', runId: other.id };
  }

  function* addChildConversation(
    { ownerId }: Owner,
    { conversationId, at }: NewRun,
    { title, agentId, configuration, parent: of }: NewChildConversation,
  ): StoreWork<void> {
    const added = [conversationId, scrubText(title), agentId ?? null, encodeJson(configuration), at, at];
    if ((yield* addConversation.run(...added, of.runId, of.callId, of.conversationId, ownerId)) === 0)
      throw new MessageRefusal(`conversation ${conversationId} cannot be added to ${of.conversationId}`);
    yield* search.title(scrubText(title), { conversationId, ownerId });
  }

  function* store({ ownerId }: Owner, run: NewRun): StoreWork<CreateRunOutcome> {
    const { id, conversationId, at, lease, newConversation } = run;
    if (newConversation) yield* addChildConversation({ ownerId }, run, newConversation);
    const row = yield* insert.get(
      id,
      ownerId,
      conversationId,
      run.agentId ?? null,
      run.parentRunId ?? null,
      run.place,
      lease ? 'running' : 'queued',
      lease ? 1 : 0,
      lease?.owner ?? null,
      lease ? Math.trunc(lease.ms) : null,
      at,
      run.startedBy ?? null,
      run.origin ?? (run.parentRunId === undefined ? 'chat' : 'sub_agent'),
    );
    if (!row) throw new MessageRefusal(`run ${id} was not stored`);
    const columns = { configuration: textOrNull(run.configuration), state: textOrNull(run.state) };
    yield* keep.run(id, ownerId, columns.configuration, columns.state);
    if (run.webhook) {
      const { url, trusted } = run.webhook;
      yield* addWebhook.run(id, ownerId, url, trusted ? 1 : 0);
    }
    if (run.queuedMessageId !== undefined && (yield* unqueue.run(conversationId, run.queuedMessageId, ownerId)) === 0)
      throw new MessageRefusal(`message ${run.queuedMessageId} is not in the queue of conversation ${conversationId}`);
    for (const message of run.messages) yield* messages.write(message, { conversationId, ownerId, runId: id });
    if (run.title !== undefined) {
      const title = scrubText(run.title);
      if ((yield* setTitle.run(title, conversationId)) === 1) yield* search.title(title, { conversationId, ownerId });
    }
    if (run.leaf !== undefined) yield* messages.moveLeaf({ to: run.leaf }, { conversationId, at });
    return { outcome: 'created', run: toLeasedRun(row, columns) };
  }

  function* recall(
    { ownerId }: Owner,
    run: NewRun,
    known: StoreWorkResult<CreateRunOutcome> | null,
  ): StoreWork<RecalledResult<CreateRunOutcome>> {
    if (known === null) return null;
    return known.result.outcome !== 'created' || (yield* find.get(run.id))?.owner_id === ownerId ? known : false;
  }

  return (principal, run) => ({
    ...transaction<CreateRunOutcome>('create-run', 'full', function* () {
      const refused = yield* refusal(principal, run);
      if (refused) return refused;
      try {
        return yield* engine.savepoint(() => store(principal, run));
      } catch (error) {
        if (error instanceof MessageRefusal) return { outcome: 'invalid', problem: error.message };
        throw error;
      }
    }),
    recall: (known) => recall(principal, run, known),
  });
}

function textOrNull(value: object | undefined): string | null {
  return value === undefined ? null : encodeJson(value);
}
