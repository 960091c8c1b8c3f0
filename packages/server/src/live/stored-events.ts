import type { Owner, RunEvent, RunRecord, RunStore } from '@toolyard/protocol';

const PAGE = 500;

/** The stored events of a run after `seq`, in pages, to the last one stored. */
export async function* storedEvents(
  store: Pick<RunStore, 'readEvents'>,
  principal: Owner,
  runId: string,
  seq: number,
): AsyncGenerator<readonly RunEvent[], undefined> {
  for (let after = seq; ;) {
    const events = (await store.readEvents(principal, runId, after, PAGE)) ?? [];
    const last = events.at(-1);
    if (!last) return;
    yield events;
    if (events.length < PAGE) return;
    after = last.seq;
  }
}

/** True if no event follows `seq`: the run has ended and was read, or does not exist. */
export async function isOver(
  store: Pick<RunStore, 'getRun'>,
  principal: Owner,
  runId: string,
  seq: number,
): Promise<boolean> {
  const run = await store.getRun(principal, runId);
  return run === null || isOverAt(run, seq);
}

/** True if no event follows `seq`. */
export function isOverAt({ endedAt, lastSeq }: RunRecord, seq: number): boolean {
  return endedAt !== null && lastSeq <= seq;
}
