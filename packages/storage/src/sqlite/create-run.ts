import type { Clock, CreateRunOutcome, NewRun, Principal } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { encodeJson, scrubText } from '../text.ts';
import type { SqliteConnection } from './connection.ts';
import { createMessageWriter, Refusal } from './message-rows.ts';
import type { RunRow, SyncRunStore } from './run-rows.ts';
import { ACTIVE, RUN_COLUMNS, toLeasedRun, toRunRecord } from './run-rows.ts';
import { createSearchWriter } from './search-rows.ts';

/** A run and the message that asks for it, stored together. */
export function createRunCreator(connection: SqliteConnection, clock: Clock): SyncRunStore['createRun'] {
  const find = connection.prepare(`SELECT ${RUN_COLUMNS} FROM runs WHERE id = ?`);
  const conversation = connection.prepare(
    'SELECT 1 FROM conversations WHERE id = ? AND owner_id = ? AND deleted_at IS NULL',
  );
  const parent = connection.prepare('SELECT 1 FROM runs WHERE id = ? AND owner_id = ?');
  const active = connection.prepare(
    `SELECT id FROM runs WHERE conversation_id = ? AND parent_run_id IS NULL AND status IN ${ACTIVE}`,
  );
  const insert = connection.prepare(`
    INSERT INTO runs (id, owner_id, conversation_id, agent_id, parent_run_id, place, status, last_seq, fence,
      lease_owner, lease_until, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?) RETURNING ${RUN_COLUMNS}`);
  const keep = connection.prepare(
    'INSERT INTO run_states (run_id, owner_id, configuration, state) VALUES (?, ?, ?, ?)',
  );
  const unqueue = connection.prepare(
    'DELETE FROM queued_messages WHERE conversation_id = ? AND id = ? AND owner_id = ?',
  );
  const entitle = connection.prepare("UPDATE conversations SET title = ? WHERE id = ? AND title = ''");
  const messages = createMessageWriter(connection);
  const search = createSearchWriter(connection);

  function refusal({ ownerId }: Principal, run: NewRun): Exclude<CreateRunOutcome, { outcome: 'created' }> | null {
    const same = find.get(run.id) as RunRow | undefined;
    if (same?.owner_id === ownerId) return { outcome: 'exists', run: toRunRecord(same) };
    if (same) throw new ToolyardError({ code: 'bad_request', message: `The id ${run.id} is taken.` });
    if (!conversation.get(run.conversationId, ownerId)) return { outcome: 'not_found' };
    if (run.parentRunId !== undefined) return parent.get(run.parentRunId, ownerId) ? null : { outcome: 'not_found' };
    const other = active.get(run.conversationId) as { id: string } | undefined;
    return other === undefined ? null : { outcome: 'conversation_busy', runId: other.id };
  }

  function store({ ownerId }: Principal, run: NewRun): CreateRunOutcome {
    const { id, conversationId, at, lease } = run;
    const row = insert.get(
      id,
      ownerId,
      conversationId,
      run.agentId ?? null,
      run.parentRunId ?? null,
      run.place,
      lease ? 'running' : 'queued',
      lease ? 1 : 0,
      lease?.owner ?? null,
      lease ? Math.trunc(clock.monotonic() + lease.ms) : null,
      at,
      at,
    ) as RunRow;
    const kept = { configuration: textOrNull(run.configuration), state: textOrNull(run.state) };
    keep.run(id, ownerId, kept.configuration, kept.state);
    if (run.queuedMessageId !== undefined && unqueue.run(conversationId, run.queuedMessageId, ownerId).changes === 0)
      throw new Refusal(`message ${run.queuedMessageId} is not in the queue of conversation ${conversationId}`);
    for (const message of run.messages) messages.write(message, { conversationId, ownerId, runId: id });
    if (run.title !== undefined) {
      const title = scrubText(run.title);
      if (entitle.run(title, conversationId).changes === 1) search.title(title, { conversationId, ownerId });
    }
    if (run.leaf !== undefined) messages.moveLeaf({ to: run.leaf }, { conversationId, at });
    return { outcome: 'created', run: toLeasedRun(row, kept) };
  }

  return (principal, run) =>
    connection.transaction('create-run', 'full', () => {
      const refused = refusal(principal, run);
      if (refused) return refused;
      try {
        return connection.savepoint(() => store(principal, run));
      } catch (error) {
        if (error instanceof Refusal) return { outcome: 'invalid', problem: error.message };
        throw error;
      }
    });
}

function textOrNull(value: object | undefined): string | null {
  return value === undefined ? null : encodeJson(value);
}
