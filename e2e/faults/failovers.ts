import type { Failing, History, Span, RowWrite } from './history.ts';

/** How long a tool server stays with a process that fails, and a little for the process that takes it then. */
const TOOLS_AWAY_MS = 15_000;

/**
 * A run whose process could not work, until it was continued; `ms` without outages of the database.
 * `to` is the process itself if it continued before another one took the run.
 */
export type Failover = { runId: string; from: string; how: string; to: string; ms: number };

/** Every run a failing process held, up to the first event written of it afterwards. */
export function listFailovers({ writes, failings, outages }: History): Failover[] {
  const ofRun = Map.groupBy(writes, ({ runId }) => runId);
  return failings.flatMap((failing) =>
    [...ofRun].flatMap(([runId, own]) => {
      const failover = findFailover(failing, own, failings, outages);
      return failover ? [{ runId, from: failing.writer, how: failing.how, ...failover }] : [];
    }),
  );
}

function findFailover(
  failing: Failing,
  writes: readonly RowWrite[],
  failings: readonly Failing[],
  outages: readonly Span[],
): { to: string; ms: number } | null {
  const begin = writes.findLastIndex(({ at }) => at <= failing.from);
  const held = writes[begin];
  if (!held || held.owner === null || findWriter(writes, held) !== failing.writer) return null;
  const later = writes.slice(begin + 1);
  const claim = later.find(({ fence }) => fence > held.fence);
  const itself = later.find(
    ({ fence, at, seqAfter, seqBefore }) => fence === held.fence && at >= failing.until && seqAfter > seqBefore,
  );
  if (itself) return { to: failing.writer, ms: lay(failing.from, itself.at, outages) };
  // A commit in flight may still be written and be the last: the run has ended or is parked.
  if (!claim || later.findLast(({ fence }) => fence === held.fence)?.owner === null) return null;
  const goesOn = later.find(({ fence, seqAfter, seqBefore }) => fence > held.fence && seqAfter > seqBefore);
  // A process that took the run and failed at once is measured by its own failure, and so is the one with the tools.
  const failedAtOnce = failings.some(({ writer, role, from, until }) => {
    const back = role === 'tools' ? (until === Infinity ? from : until) + TOOLS_AWAY_MS : until;
    return (writer === claim.writer || role === 'tools') && back > claim.at && from < (goesOn?.at ?? Infinity);
  });
  const to = failedAtOnce || !goesOn ? claim : goesOn;
  return { to: to.writer, ms: lay(failing.from, to.at, outages) };
}

function lay(from: number, until: number, outages: readonly Span[]): number {
  return until - from - covered({ from, until }, outages);
}

/** The process that works under the fence of this write: the one that claimed it. */
function findWriter(writes: readonly RowWrite[], { fence }: RowWrite): string | undefined {
  return writes.find((write) => write.fence === fence)?.writer;
}

/** How much of `span` the others cover together. */
function covered(span: Span, others: readonly Span[]): number {
  let sum = 0;
  let until = span.from;
  for (const other of others.toSorted((a, b) => a.from - b.from)) {
    const from = Math.max(until, other.from);
    const end = Math.min(span.until, other.until);
    if (end <= from) continue;
    sum += end - from;
    until = end;
  }
  return sum;
}
