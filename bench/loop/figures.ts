import { median, quantile } from '../support/quantile.ts';
import type { Block } from './child.ts';

/** What is printed of a contender in a scenario. Times are milliseconds of one run; ratios are to the floor. */
export type Figures = {
  runs: number;
  wallMsMedian: number;
  cpuMsMedian: number;
  wallRatio: number | null;
  cpuRatio: number | null;
  /** First and third quartile of `cpuRatio` over the rounds: how much to believe it. */
  cpuRatioQuartiles: [number, number] | null;
};

/**
 * Sums up the blocks of a contender, one a round. A ratio is the median of the ratios of the rounds, each taken within
 * its round: what slows the machine for a while slows both sides of the fraction.
 */
export function figuresOf(blocks: readonly Block[], floor: readonly Block[] | null): Figures {
  const ratios = (measure: (block: Block) => number): number[] =>
    blocks.flatMap((block, round) => {
      const below = floor?.[round];
      return below ? [measure(block) / measure(below)] : [];
    });
  const wallRatios = ratios(({ wallMs }) => median(wallMs));
  const cpuRatios = ratios(cpuOfRun);
  return {
    runs: blocks.reduce((sum, { wallMs }) => sum + wallMs.length, 0),
    wallMsMedian: rounded(median(blocks.flatMap(({ wallMs }) => wallMs))),
    cpuMsMedian: rounded(median(blocks.map(cpuOfRun))),
    wallRatio: floor && rounded(median(wallRatios)),
    cpuRatio: floor && rounded(median(cpuRatios)),
    cpuRatioQuartiles: floor && [rounded(quantile(cpuRatios, 0.25)), rounded(quantile(cpuRatios, 0.75))],
  };
}

function cpuOfRun({ cpuMs, wallMs }: Block): number {
  return cpuMs / wallMs.length;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
