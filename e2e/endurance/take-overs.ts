import type { Failing, History, Span, Write } from './history.ts';

/** A run that lay because its process could not work, until it went on; `ms` without what nobody could have helped. */
export type TakeOver = { runId: string; from: string; how: string; to: string; ms: number };

/** Every run a failing process held, up to the first event another one wrote of it. */
export function takeOversOf({ writes, failings, outages }: History): TakeOver[] {
  const ofRun = Map.groupBy(writes, ({ runId }) => runId);
  return failings.flatMap((failing) =>
    [...ofRun].flatMap(([runId, own]) => {
      const takeOver = takeOverOf(failing, own, failings, outages);
      return takeOver ? [{ runId, from: failing.writer, how: failing.how, ...takeOver }] : [];
    }),
  );
}

function takeOverOf(
  failing: Failing,
  writes: readonly Write[],
  failings: readonly Failing[],
  outages: readonly Span[],
): { to: string; ms: number } | null {
  const begin = writes.findLastIndex(({ at }) => at <= failing.from);
  const held = writes[begin];
  if (!held || held.owner === null || writerOf(writes, held) !== failing.writer) return null;
  const later = writes.slice(begin + 1);
  const claim = later.find(({ fence }) => fence > held.fence);
  if (!claim) return null;
  const goesOn = later.find(({ fence, seqAfter, seqBefore }) => fence > held.fence && seqAfter > seqBefore);
  // Whoever took it up and failed at once answers for what came after.
  const failedAtOnce = failings.some(
    ({ writer, from, until }) => writer === claim.writer && until > claim.at && from < (goesOn?.at ?? Infinity),
  );
  const to = failedAtOnce || !goesOn ? claim : goesOn;
  const lay = { from: failing.from, until: to.at };
  return { to: to.writer, ms: lay.until - lay.from - covered(lay, outages) };
}

/** Who works under the fence of this write: whoever took it. */
function writerOf(writes: readonly Write[], { fence }: Write): string | undefined {
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
