import { relative, sep } from 'node:path';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';
import { ROOT } from './run.ts';
import type { TestKind } from './test-kinds.ts';
import { getKind } from './test-kinds.ts';

/**
 * Kinds of tests in the order in which they start. Process tests mostly wait, so they run while other checks need the
 * CPU.
 */
const ORDER: readonly TestKind[] = ['processes', 'packages', 'cli', 'browser', 'page'];

/**
 * Sorts test files by kind, and within a kind like Vitest (longest first). Vitest reuses a non-isolated worker only if
 * the next file belongs to the same project, so projects must not alternate.
 */
export class KindByKind extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => getRank(one) - getRank(other));
  }
}

function getRank({ moduleId }: TestSpecification): number {
  return ORDER.indexOf(getKind(relative(ROOT, moduleId).split(sep).join('/')));
}
