import { z } from 'zod';
import { jsonObject, jsonValue, timestamp, toolReference } from './common.ts';

const ledgerStatus = z.enum(['planned', 'sent', 'done', 'failed', 'in_doubt', 'cancelled']);
/**
 * Where a tool call stands. Only these steps are taken:
 * - `planned` to `sent`, `failed`, `cancelled`
 * - `sent` to `done`, `failed`, `in_doubt`, `cancelled`, to `sent` where there is more to keep with it, and back to `planned` where it is known not to have been
 *   accepted (a sign-in is wanted)
 * - `in_doubt` to `done`, `failed`, `cancelled`, and to `planned` where a person said to repeat it
 */
export type LedgerStatus = z.output<typeof ledgerStatus>;

export const ledgerEntry = z.strictObject({
  callId: z.string(),
  runId: z.string(),
  tool: toolReference,
  arguments: jsonObject,
  status: ledgerStatus,
  detail: jsonValue.nullable(),
  updatedAt: timestamp,
  /** The arguments are a person's, not the model's. */
  edited: z.literal(true).exactOptional(),
});
export type LedgerEntry = z.output<typeof ledgerEntry>;

export const ledgerChange = z.discriminatedUnion('change', [
  z.strictObject({
    change: z.literal('plan'),
    callId: z.string(),
    tool: toolReference,
    arguments: jsonObject,
    edited: z.literal(true).exactOptional(),
  }),
  z.strictObject({
    change: z.literal('move'),
    callId: z.string(),
    from: ledgerStatus,
    to: ledgerStatus,
    /** Takes the place of what was kept: a task handle, a request state, a result. */
    detail: jsonValue.exactOptional(),
  }),
]);
/** `plan` may come again for a call that is still planned: a step taken again makes the same ids. */
export type LedgerChange = z.output<typeof ledgerChange>;
