import type { InterruptAnswer, JsonObject, JsonValue, Message, RunEvent } from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';
import type { Databases } from '@toolyard/testing/postgres';
import { callName } from '../support/call-name.ts';
import type { History, RowWrite, StoredCall, StoredFiring, StoredRunInterrupt, StoredRun } from './history.ts';

type Stored = Pick<History, 'runs' | 'events' | 'calls' | 'interrupts' | 'messages' | 'queued' | 'usage'>;

/** Reads rows of the database, whichever it is. */
export type Query = (statement: string) => Promise<Record<string, unknown>[]>;

/** The tool that counts; its calls differ by their arguments. */
const COUNT = 'count';

/**
 * Has PostgreSQL record who changes a run, in the transaction that does: what a process believes does not matter.
 * Renewals of a lease are left out.
 */
export async function startRecording(cluster: Pick<Databases, 'query'>, url: string): Promise<void> {
  await cluster.query(
    url,
    `CREATE TABLE endurance_writes (
      n BIGSERIAL PRIMARY KEY, run_id TEXT, at BIGINT, writer TEXT, fence BIGINT, owner TEXT,
      seq_before BIGINT, seq_after BIGINT, status TEXT)`,
    `CREATE FUNCTION endurance_note() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO endurance_writes (run_id, at, writer, fence, owner, seq_before, seq_after, status)
        VALUES (NEW.id, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT), current_setting('application_name'),
          NEW.fence, NEW.lease_owner, CASE WHEN TG_OP = 'INSERT' THEN 0 ELSE OLD.last_seq END, NEW.last_seq, NEW.status);
        RETURN NULL;
      END $$`,
    'CREATE TRIGGER endurance_made AFTER INSERT ON runs FOR EACH ROW EXECUTE FUNCTION endurance_note()',
    `CREATE TRIGGER endurance_changed AFTER UPDATE ON runs FOR EACH ROW
      WHEN ((OLD.fence, OLD.lease_owner, OLD.last_seq, OLD.status) IS DISTINCT FROM
        (NEW.fence, NEW.lease_owner, NEW.last_seq, NEW.status))
      EXECUTE FUNCTION endurance_note()`,
  );
}

/** What {@link startRecording} recorded. */
export async function readWrites(query: Query): Promise<RowWrite[]> {
  const rows = await query('SELECT * FROM endurance_writes ORDER BY n');
  return (rows as Record<string, string | null>[]).map(toWrite);
}

/** How often a run of each conversation was claimed: what a process that lost it had requested may be lost. */
export function countClaims(runs: readonly StoredRun[], writes: readonly RowWrite[]): Map<string, number> {
  const ofConversation = Map.groupBy(runs, ({ conversationId }) => conversationId);
  const fences = Map.groupBy(writes, ({ runId }) => runId);
  const claims = (runId: string): number => new Set(fences.get(runId)?.map(({ fence }) => fence)).size;
  return new Map([...ofConversation].map(([id, own]) => [id, own.reduce((sum, run) => sum + claims(run.id), 0)]));
}

const USAGE = `
  SELECT conversation_id, kind, CAST(sum(calls) AS BIGINT) AS calls, CAST(sum(uncounted) AS BIGINT) AS uncounted,
    CAST(sum(input_tokens) AS BIGINT) AS input_tokens, CAST(sum(output_tokens) AS BIGINT) AS output_tokens
  FROM usage_sums WHERE kind = 'model' OR name = '${COUNT}' GROUP BY conversation_id, kind`;

/** Everything that is stored in the end. */
export async function readStored(query: Query): Promise<Stored> {
  const rows = async <T>(sql: string): Promise<T[]> => (await query(sql)) as T[];
  const runs = await rows<{ id: string; conversation_id: string; status: StoredRun['status']; last_seq: string }>(
    'SELECT id, conversation_id, status, last_seq FROM runs',
  );
  const events = await rows<Record<string, string>>(
    'SELECT run_id, v, seq, step, attempt, at, body FROM run_events ORDER BY run_id, seq',
  );
  const calls = await rows<{ run_id: string; call_id: string; arguments: string; status: StoredCall['status'] }>(
    `SELECT run_id, call_id, arguments, status FROM tool_ledger WHERE tool_name = '${COUNT}'`,
  );
  const interrupts = await rows<Record<string, string | null>>(
    'SELECT run_id, id, interrupt, status, answer FROM interrupts',
  );
  const messages = await rows<{ id: string; message: string }>(`SELECT id, message FROM messages WHERE role = 'user'`);
  const [queue] = await rows<{ queued: string }>('SELECT count(*) AS queued FROM queued_messages');
  const usage = await rows<Record<string, string | null>>(USAGE);
  return {
    runs: runs.map(({ id, conversation_id: conversationId, status, last_seq: lastSeq }) => ({
      ...{ id, conversationId, status },
      lastSeq: Number(lastSeq),
    })),
    events: Map.groupBy(events.map(toEvent), ({ runId }) => runId),
    calls: calls.map((row) => ({
      runId: row.run_id,
      callId: row.call_id,
      call: callName(JSON.parse(row.arguments) as JsonValue),
      status: row.status,
    })),
    interrupts: interrupts.map(toInterrupt),
    messages: messages.map(({ id, message }) => ({ id, text: textOf(JSON.parse(message) as Message) })),
    queued: Number(queue?.queued),
    usage: runs
      .map(({ conversation_id: id }) => id)
      .filter((id, index, all) => all.indexOf(id) === index)
      .map((id) => toUsage(id, usage)),
  };
}

/** The times of a schedule. */
export async function readFirings(query: Query): Promise<StoredFiring[]> {
  const rows = await query('SELECT planned_at, outcome, run_id FROM schedule_firings ORDER BY planned_at');
  return rows.map(({ planned_at: at, outcome, run_id: runId }) => ({
    ...{ plannedAt: Number(at), outcome: String(outcome) },
    runId: typeof runId === 'string' ? runId : null,
  }));
}

/** The conversations of sub-agents and of turns of members. */
export async function subAgentConversations(
  query: Query,
): Promise<{ id: string; title: string; parentRunId: string }[]> {
  const rows = await query('SELECT id, title, parent_run_id FROM conversations WHERE parent_run_id IS NOT NULL');
  return rows.map((row) => ({
    id: String(row['id']),
    title: String(row['title']),
    parentRunId: String(row['parent_run_id']),
  }));
}

function toUsage(conversationId: string, rows: readonly Record<string, string | null>[]): History['usage'][number] {
  const sum = (kind: string, column: string): number =>
    Number(rows.find((row) => row['conversation_id'] === conversationId && row['kind'] === kind)?.[column] ?? 0);
  return {
    conversationId,
    modelCalls: sum('model', 'calls'),
    uncounted: sum('model', 'uncounted'),
    inputTokens: sum('model', 'input_tokens'),
    outputTokens: sum('model', 'output_tokens'),
    toolCalls: sum('tool', 'calls'),
  };
}

function toWrite(row: Record<string, string | null>): RowWrite {
  return {
    runId: String(row['run_id']),
    at: Number(row['at']),
    writer: String(row['writer']),
    fence: Number(row['fence']),
    owner: row['owner'] ?? null,
    seqBefore: Number(row['seq_before']),
    seqAfter: Number(row['seq_after']),
    status: row['status'] as RowWrite['status'],
  };
}

function toEvent(row: Record<string, string>): RunEvent {
  const numbers = { v: row['v'], seq: row['seq'], step: row['step'], attempt: row['attempt'], at: row['at'] };
  const envelope = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value)]));
  return { ...envelope, runId: row['run_id'], ...(JSON.parse(String(row['body'])) as object) } as RunEvent;
}

function toInterrupt(row: Record<string, string | null>): StoredRunInterrupt {
  const interrupt = JSON.parse(String(row['interrupt'])) as { kind: string; arguments?: JsonObject };
  const answer = row['answer'] ?? null;
  return {
    runId: String(row['run_id']),
    id: String(row['id']),
    kind: interrupt.kind,
    call: callName(interrupt.arguments),
    status: String(row['status']),
    answer: answer === null ? null : (JSON.parse(answer) as InterruptAnswer),
  };
}
