import { z } from 'zod';

/** Maximum number of items on a page. */
export function queryLimit(standard: number) {
  return z.coerce.number().int().min(1).max(500).default(standard);
}

const flagText = z.enum(['0', '1', 'true', 'false']);
const isSet = (text: z.output<typeof flagText>): boolean => text === '1' || text === 'true';

/** `1` or `0`, `true` or `false`. */
export const queryBoolean = flagText.transform(isSet).pipe(z.boolean());

/** As {@link queryBoolean}; false by default. */
export const queryFlag = flagText.default('0').transform(isSet).pipe(z.boolean());

/** An id or another short text. */
export const queryText = z.string().min(1).max(300);
