import { z } from 'zod';
import { named, pageOf } from './common.ts';
import { budget } from './configuration.ts';
import { usage } from './messages.ts';

/** A day: `2026-11-21`. */
export const usageDay = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'expected a day such as 2026-11-21')
  .refine((text) => isDay(text), 'there is no such day');

export const usageBy = z.enum(['day', 'model', 'agent', 'tool', 'conversation']);
/** How usage is grouped. */
export type UsageBy = z.output<typeof usageBy>;

export const spent = z.strictObject({
  dollars: z.number(),
  tokens: z.number(),
  calls: z.number(),
  unpriced: z.number(),
});
/** What was used of a budget. `unpriced` are the calls whose cost nobody knows: they count in tokens and calls only. */
export type Spent = z.output<typeof spent>;

const sum = {
  /** Of models; for a tool those its server asked for. */
  modelCalls: z.number(),
  toolCalls: z.number(),
  /** Tool calls that failed. */
  failures: z.number(),
  /** Of all calls together, whether or not they ran at once. */
  durationMs: z.number(),
  /** What is known of the tokens. */
  usage,
  /** What is known, in US dollars; null where there are calls and the cost of none is known. */
  cost: z.number().nullable(),
  /** Model calls whose cost nobody knows. */
  unpriced: z.number(),
  /** Model calls that told no tokens. */
  uncounted: z.number(),
};
const usageSum = named('UsageSum', z.strictObject(sum));
/** Sums of calls. */
export type UsageSum = z.output<typeof usageSum>;
const usageRow = named('UsageRow', z.strictObject({ key: z.string(), label: z.string(), ...sum }));
/**
 * `key`: the day (`2026-11-21`), `provider/model`, `server/tool`, or the id of agent or conversation, empty where there
 * was none. `label`: what that is called, if it is still there.
 */
export type UsageRow = z.output<typeof usageRow>;

export const usageReport = named(
  'UsageReport',
  z.strictObject({ from: z.string(), to: z.string(), by: usageBy, rows: z.array(usageRow), total: usageSum }),
);
/** `GET /api/usage`: days in UTC, both included. */
export type UsageReport = z.output<typeof usageReport>;

const budgetView = named('BudgetView', z.strictObject({ budget, spent }));
/** Where a budget stands. */
export type BudgetView = z.output<typeof budgetView>;
export const budgetPage = pageOf('BudgetPage', budgetView);

function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
