import { z } from 'zod';
import { jsonObject, jsonValue, timestamp, toolReference } from './common.ts';

const ledgerStatus = z.enum(['planned', 'sent', 'done', 'failed', 'in_doubt', 'cancelled']);
/**
 * Status of a tool call. The permitted transitions:
 * - `planned` to `sent`, `failed`, `cancelled`
 * - `sent` to `done`, `failed`, `in_doubt`, `cancelled`; to `sent` again with more detail to store; and back to
 *   `planned` if the server is known not to have accepted the call (it requires a sign-in)
 * - `in_doubt` to `done`, `failed`, `cancelled`, and to `planned` if the user decides to repeat the call
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
  /** A user edited the arguments. */
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
    /** Replaces the stored detail: a task handle, a request state, a result. */
    detail: jsonValue.exactOptional(),
  }),
]);
/** `plan` may repeat a call that is still planned: a retried step produces the same ids. */
export type LedgerChange = z.output<typeof ledgerChange>;
