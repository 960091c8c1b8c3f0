import type { CommitPump } from '@toolyard/agent-host/durable';
import { RunWriter, unanswered } from '@toolyard/agent-host/durable';
import type { Clock, ErrorInfo, LeasedRun, Owner } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';

/**
 * Ends a run of which nothing else can be made: its state cannot be read, or what it wrote was refused. Needs nothing
 * but the row. Rejects with RunLost.
 */
export async function failOutright(of: {
  run: LeasedRun;
  baseSeq: number;
  error: ErrorInfo;
  pump: CommitPump;
  clock: Clock;
  storage: Pick<SharedStorage, 'runs' | 'messages'>;
}): Promise<void> {
  const { run, baseSeq, error, pump, clock, storage } = of;
  const principal: Owner = { ownerId: run.ownerId };
  const writer = new RunWriter({
    run: { ...run, lastSeq: baseSeq },
    pump,
    clock,
    keepMedia: (value) => Promise.resolve(value),
    onLost() {},
  });
  const [last] = (await storage.runs.readEvents(principal, run.id, baseSeq - 1, 1)) ?? [];
  const stamp = { step: last?.step ?? 0, attempt: last?.attempt ?? 1 };

  const shownId = isJsonObject(run.state) ? run.state['shownId'] : null;
  const shown = typeof shownId === 'string' ? await storage.messages.get(principal, run.conversationId, shownId) : null;
  if (shown?.role === 'assistant' && shown.finishReason === 'pending' && shown.parentId !== null) {
    const { id, parentId, model } = shown;
    const message = unanswered({ id, parentId, runId: run.id, model, createdAt: clock.now(), error });
    writer.message(message, null);
    writer.event({ type: 'message_finished', message }, stamp, 'later');
  }
  writer.event({ type: 'run_finished', status: 'failed', usage: {}, error }, stamp, 'later');
  await writer.save({ status: 'failed' });
}
