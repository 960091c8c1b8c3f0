import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/**
 * Kinds of test in the order in which they start. Tests of processes wait most of the time: they run while the checks
 * beside the tests need the processor.
 */
const ORDER = ['processes', 'browser', 'packages', 'cli', 'page'];

/**
 * Sorts test files by kind, and within a kind as vitest does (longest first). A worker that is not isolated is used
 * again only if the next file belongs to the same project, so kinds must not alternate.
 */
export class KindByKind extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => ORDER.indexOf(one.project.name) - ORDER.indexOf(other.project.name));
  }
}
