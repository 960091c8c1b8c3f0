import { z } from 'zod';

/** How many of a list, at most. */
export function limit(standard: number) {
  return z.coerce.number().int().min(1).max(500).default(standard);
}

/** `1` or `0`, `true` or `false`; absent is no. */
export const flag = z
  .enum(['0', '1', 'true', 'false'])
  .default('0')
  .transform((text) => text === '1' || text === 'true')
  .pipe(z.boolean());

/** Something that names another thing. */
export const word = z.string().min(1).max(300);
