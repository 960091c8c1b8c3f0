import type { History } from './history.ts';

/** The course of a run that a problem names: who wrote it when, and what is stored. */
export function describeRunTrace({ writes, events, failings }: History, runId: string): string[] {
  const own = writes.filter((write) => write.runId === runId);
  const kept = events.get(runId) ?? [];
  const begun = own[0]?.at ?? 0;
  const after = (at: number): string => `${((at - begun) / 1000).toFixed(1)} s`;
  const told = [
    ...own.map(({ at, writer, fence, owner, seqBefore, seqAfter, status }) => {
      const types = kept.filter(({ seq }) => seq > seqBefore && seq <= seqAfter).map(({ type }) => type);
      const holder = owner === null ? 'held by nobody' : 'held';
      return { at, line: `${writer}, fence ${String(fence)}, ${holder}, ${status}: ${types.join(' ') || 'no event'}` };
    }),
    ...failings
      .filter(({ from, until }) => until >= begun && from <= (own.at(-1)?.at ?? 0))
      .flatMap(({ writer, how, from, until }) => [
        { at: from, line: `(${writer} was ${how})` },
        ...(until === Infinity ? [] : [{ at: until, line: `(${writer} works again)` }]),
      ]),
  ];
  return told.toSorted((a, b) => a.at - b.at).map(({ at, line }) => `${after(at)}: ${line}`);
}
