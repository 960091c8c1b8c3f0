import { median } from './quantile.ts';
import type { Figure } from './figure.ts';
import { sampled } from './figure.ts';

/** `wallMs` per run; `cpuMs` of the block: user and system time of all threads of the measured process. */
export type Block = { wallMs: number[]; cpuMs: number };

/** A competitor. `block` runs the same work `n` times. */
export type Competitor = { name: string; block: (runs: number) => Promise<Block> };

export type Rounds = { rounds: number; runs: number; warmUpRuns: number; say: (text: string) => void };

/** The blocks of each competitor, one per round, without failed competitors. */
export type Results = ReadonlyMap<string, readonly Block[]>;

/**
 * All competitors in turn. The first round warms up and is not counted. Each round begins with another competitor and
 * every second one runs backwards, so that none always follows the same neighbor. One that fails is left out.
 */
export async function compete(
  competitors: readonly Competitor[],
  { rounds, runs, warmUpRuns, say }: Rounds,
): Promise<Results> {
  const results = new Map<string, Block[]>(competitors.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? 'warming up' : `round ${round} of ${rounds}`);
    const from = round % competitors.length;
    const order = [...competitors.slice(from), ...competitors.slice(0, from)];
    if (round % 2 === 1) order.reverse();
    for (const { name, block } of order) {
      const blocks = results.get(name);
      if (!blocks) continue;
      try {
        const measured = await block(round === 0 ? warmUpRuns : runs);
        if (round > 0) blocks.push(measured);
      } catch (thrown) {
        results.delete(name);
        say(`${name} failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      }
    }
  }
  return results;
}

/** Alternates two measurements and their order, so that both find the same cache state. */
export async function alternate<Value>(
  { rounds, warmUp }: { rounds: number; warmUp: number },
  one: (round: number) => Promise<Value>,
  other: (round: number) => Promise<Value>,
): Promise<[Value, Value][]> {
  const pairs: [Value, Value][] = [];
  for (let round = -warmUp; round < rounds; round++) {
    const isOneFirst = round % 2 === 0;
    const first = await (isOneFirst ? one : other)(round);
    const second = await (isOneFirst ? other : one)(round);
    if (round >= 0) pairs.push(isOneFirst ? [first, second] : [second, first]);
  }
  return pairs;
}

export const getWall = ({ wallMs }: Block): number => median(wallMs);
export const getCpu = ({ cpuMs, wallMs }: Block): number => cpuMs / wallMs.length;

/** The blocks of a required competitor. */
export function getBlocks(results: Results, name: string): readonly Block[] {
  const blocks = results.get(name);
  if (!blocks) throw new Error(`${name} failed, so there is nothing to compare`);
  return blocks;
}

/** The ratio within each round, because a slow machine slows both sides. */
export function ratios(blocks: readonly Block[], others: readonly Block[], of: (block: Block) => number): number[] {
  return blocks.flatMap((block, round) => {
    const other = others[round];
    return other ? [of(block) / of(other)] : [];
  });
}

/** CPU time per run of each competitor, and its ratio to the baseline. */
export function competitorFigures(
  results: Results,
  baseline: string,
  describe: (name: string, runs: number) => { measure: string; of?: Record<string, number> },
): Figure[] {
  const below = results.get(baseline);
  return [...results].map(([name, blocks]) => {
    const runs = blocks.reduce((sum, { wallMs }) => sum + wallMs.length, 0);
    const { measure, of } = describe(name, runs);
    const compared = below && {
      cpuTimesBaseline: median(ratios(blocks, below, getCpu)),
      wallTimesBaseline: median(ratios(blocks, below, getWall)),
    };
    const wallMs = median(blocks.flatMap((block) => block.wallMs));
    return sampled(`${measure}: processor time`, blocks.map(getCpu), 'ms', {
      of: { wallMs, runs, ...compared, ...of },
    });
  });
}

/** Ratio of the CPU times of two competitors, with a target; empty if one is missing. */
export function goal(results: Results, [name, other]: readonly [string, string], atMost: number): Figure[] {
  const [blocks, others] = [results.get(name), results.get(other)];
  if (!blocks || !others) return [];
  const of = { wallTimes: median(ratios(blocks, others, getWall)) };
  return [
    sampled(`${name} compared with ${other}, processor time`, ratios(blocks, others, getCpu), 'times', { atMost, of }),
  ];
}
