import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/**
 * Which files of tests are begun first. Vitest knows how long each took only where it has run before; in a fresh clone
 * it would take one project after the other. Tests of whole processes take longest: begun last, one of them would keep
 * a single core busy at the end. Browsers want processor time, and most other long tests wait: they are begun in turns.
 * The others come project by project, for a worker is used again only where the next file is of the same one.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const of = (name: string) => sorted.filter(({ project }) => project.name === name);
    const long = inTurns(of('browser'), of('programs'));
    const short = of('page');
    const rest = sorted.filter((file) => !long.includes(file) && !short.includes(file));
    return [...long, ...rest, ...short];
  }
}

/** Both lists in one, each spread evenly over it. */
function inTurns<T>(one: readonly T[], other: readonly T[]): T[] {
  const places = [one, other].flatMap((list) => list.map((item, index) => ({ item, at: (index + 0.5) / list.length })));
  return places.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
}
