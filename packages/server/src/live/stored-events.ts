import type { Owner, RunEvent, RunRecord, RunStore } from '@toolyard/protocol';

const PAGE = 500;

/** What is stored of a run after `seq`, in pages; ends where nothing more is stored. */
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

/** True where nothing will come after `seq`: the run is over and read, or it is not there. */
export async function isOver(
  store: Pick<RunStore, 'getRun'>,
  principal: Owner,
  runId: string,
  seq: number,
): Promise<boolean> {
  const run = await store.getRun(principal, runId);
  return run === null || isOverAt(run, seq);
}

/** True where nothing comes after `seq`. */
export function isOverAt({ endedAt, lastSeq }: RunRecord, seq: number): boolean {
  return endedAt !== null && lastSeq <= seq;
}
