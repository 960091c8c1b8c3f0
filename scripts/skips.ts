export type SkippedTest = { file: string; missing?: { need: string; reason: string } | undefined };

/** Why tests were skipped: one line for each reason, most tests first. */
export function formatSkips(tests: readonly SkippedTest[]): string[] {
  const groups = Map.groupBy(
    tests,
    ({ missing }) => `(${missing?.need ?? 'unknown'}): ${missing?.reason ?? 'no reason'}`,
  );
  return [...groups]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([reason, group]) => {
      const files = new Set(group.map(({ file }) => file)).size;
      return `skipped: ${count(group.length, 'test')} in ${count(files, 'file')} ${reason}`;
    });
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
