import type { IdSource } from '@toolyard/protocol';

/** Predictable identifiers: `id-1`, `id-2` and so on. */
export function createIds(prefix = 'id'): IdSource {
  let count = 0;
  return { next: () => `${prefix}-${++count}` };
}
