import type { Block } from './child.ts';

/** What is printed of a contender in a scenario. Times are milliseconds of one run; ratios are to the floor. */
export type Figures = {
  runs: number;
  wallMsMedian: number;
  cpuMsMedian: number;
  wallRatio: number | null;
  cpuRatio: number | null;
};

/** NaN for nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/**
 * Sums up the blocks of a contender, one a round. A ratio is the median of the ratios of the rounds, each taken within
 * its round: what slows the machine for a while slows both sides of the fraction.
 */
export function figuresOf(blocks: readonly Block[], floor: readonly Block[] | null): Figures {
  const ratio = (measure: (block: Block) => number): number | null => {
    if (!floor) return null;
    const ratios = blocks.flatMap((block, round) => {
      const below = floor[round];
      return below ? [measure(block) / measure(below)] : [];
    });
    return rounded(median(ratios));
  };
  return {
    runs: blocks.reduce((sum, { wallMs }) => sum + wallMs.length, 0),
    wallMsMedian: rounded(median(blocks.flatMap(({ wallMs }) => wallMs))),
    cpuMsMedian: rounded(median(blocks.map(cpuOfRun))),
    wallRatio: ratio(({ wallMs }) => median(wallMs)),
    cpuRatio: ratio(cpuOfRun),
  };
}

function cpuOfRun({ cpuMs, wallMs }: Block): number {
  return cpuMs / wallMs.length;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
