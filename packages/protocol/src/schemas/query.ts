import { z } from 'zod';

/** Maximum number of items on a page. */
export function queryLimit(standard: number) {
  return z.coerce.number().int().min(1).max(500).default(standard);
}

/** `1` or `0`, `true` or `false`; false by default. */
export const queryFlag = z
  .enum(['0', '1', 'true', 'false'])
  .default('0')
  .transform((text) => text === '1' || text === 'true')
  .pipe(z.boolean());

/** An id or another short text. */
export const queryText = z.string().min(1).max(300);
