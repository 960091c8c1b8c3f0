import type { AssistantMessage, ErrorInfo, Owner, RunEvent, RunStore, Usage } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';

/** How a run ended: `answer` is its last one, which may be partial. */
export type RunEnd = {
  status: Extract<RunEvent, { type: 'run_finished' }>['status'];
  usage: Usage;
  /** Absent if unknown. */
  cost?: number;
  error?: ErrorInfo;
  answer: AssistantMessage | null;
};

/** Between the last answer of a run and its end there are a few events only. */
const TAIL = 20;

/** Reads the end of a run from its last events; null if it has not ended. */
export async function readEnd(
  store: Pick<RunStore, 'getRun' | 'readEvents'>,
  principal: Owner,
  runId: string,
): Promise<RunEnd | null> {
  const run = await store.getRun(principal, runId);
  if (run === null || run.endedAt === null) return null;
  const events = (await store.readEvents(principal, runId, Math.max(0, run.lastSeq - TAIL), TAIL)) ?? [];
  const last = events.findLast((event) => event.type === 'run_finished');
  if (!last) return null;
  const { status, usage, cost, error } = last;
  const answer = events.findLast((event) => event.type === 'message_finished')?.message ?? null;
  return { status, usage, ...defined({ cost, error }), answer };
}
