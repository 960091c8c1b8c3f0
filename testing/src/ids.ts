import type { IdSource } from '@toolyard/protocol';

/** Identifiers a test can foretell: `id-1`, `id-2` and so on. */
export function createIds(prefix = 'id'): IdSource {
  let count = 0;
  return { next: () => `${prefix}-${++count}` };
}
