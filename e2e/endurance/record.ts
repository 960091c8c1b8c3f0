import type { InterruptAnswer, JsonObject, Message, RunEvent } from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';
import type { Cluster } from '@toolyard/testing/postgres';
import type { History, KeptCall, KeptQuestion, KeptRun, Write } from './history.ts';
import { callIn } from './story.ts';

type Kept = Pick<History, 'runs' | 'writes' | 'events' | 'calls' | 'questions' | 'messages' | 'queued'>;

/**
 * Has the database itself write down who changes a run, in the transaction that does: whatever a process may believe,
 * this is what happened. Renewals of a lease are left out.
 */
export async function startRecording(cluster: Cluster, url: string): Promise<void> {
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

/** Everything that is kept in the end. */
export async function readKept(cluster: Cluster, url: string): Promise<Kept> {
  const rows = async <T>(sql: string): Promise<T[]> => (await cluster.query(url, sql)) as T[];
  const runs = await rows<{ id: string; status: KeptRun['status']; last_seq: string }>(
    'SELECT id, status, last_seq FROM runs',
  );
  const writes = await rows<Record<string, string | null>>('SELECT * FROM endurance_writes ORDER BY n');
  const events = await rows<Record<string, string>>(
    'SELECT run_id, v, seq, step, attempt, at, body FROM run_events ORDER BY run_id, seq',
  );
  const calls = await rows<{ run_id: string; call_id: string; arguments: string; status: KeptCall['status'] }>(
    'SELECT run_id, call_id, arguments, status FROM tool_ledger',
  );
  const questions = await rows<Record<string, string | null>>(
    'SELECT run_id, id, interrupt, status, answer FROM interrupts',
  );
  const said = await rows<{ id: string; message: string }>(`SELECT id, message FROM messages WHERE role = 'user'`);
  const [queue] = await rows<{ queued: string }>('SELECT count(*) AS queued FROM queued_messages');
  return {
    runs: runs.map(({ id, status, last_seq: lastSeq }) => ({ id, status, lastSeq: Number(lastSeq) })),
    writes: writes.map(toWrite),
    events: Map.groupBy(events.map(toEvent), ({ runId }) => runId),
    calls: calls.map((row) => ({
      runId: row.run_id,
      callId: row.call_id,
      call: callIn(JSON.parse(row.arguments) as JsonObject),
      status: row.status,
    })),
    questions: questions.map(toQuestion),
    messages: said.map(({ id, message }) => ({ id, text: textOf(JSON.parse(message) as Message) })),
    queued: Number(queue?.queued),
  };
}

function toWrite(row: Record<string, string | null>): Write {
  return {
    runId: String(row['run_id']),
    at: Number(row['at']),
    writer: String(row['writer']),
    fence: Number(row['fence']),
    owner: row['owner'] ?? null,
    seqBefore: Number(row['seq_before']),
    seqAfter: Number(row['seq_after']),
    status: row['status'] as Write['status'],
  };
}

function toEvent(row: Record<string, string>): RunEvent {
  const numbers = { v: row['v'], seq: row['seq'], step: row['step'], attempt: row['attempt'], at: row['at'] };
  const envelope = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value)]));
  return { ...envelope, runId: row['run_id'], ...(JSON.parse(String(row['body'])) as object) } as RunEvent;
}

function toQuestion(row: Record<string, string | null>): KeptQuestion {
  const interrupt = JSON.parse(String(row['interrupt'])) as { kind: string; arguments?: JsonObject };
  const answer = row['answer'] ?? null;
  return {
    runId: String(row['run_id']),
    id: String(row['id']),
    kind: interrupt.kind,
    call: callIn(interrupt.arguments),
    status: String(row['status']),
    answer: answer === null ? null : (JSON.parse(answer) as InterruptAnswer),
  };
}
