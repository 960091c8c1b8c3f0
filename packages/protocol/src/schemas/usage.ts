import { z } from 'zod';
import { namedObject, createPageSchema } from './common.ts';
import { budget } from './configuration.ts';
import { usage } from './messages.ts';

/** A day: `2026-11-21`. */
export const usageDay = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'expected a day such as 2026-11-21')
  .refine((text) => isDay(text), 'this day does not exist');

export const usageBy = z.enum(['day', 'model', 'agent', 'tool', 'conversation']);
/** How usage is grouped. */
export type UsageBy = z.output<typeof usageBy>;

export const spent = z.strictObject({
  dollars: z.number(),
  tokens: z.number(),
  calls: z.number(),
  unpriced: z.number(),
});
/**
 * The usage that counts towards a budget. `unpriced` is the number of calls with unknown cost: they count towards
 * tokens and calls only.
 */
export type Spent = z.output<typeof spent>;

const sum = {
  /** Calls of models; for a tool those that its server requested. */
  modelCalls: z.number(),
  toolCalls: z.number(),
  /** Calls of models and tools that failed. */
  failures: z.number(),
  /** Sum over all calls, including concurrent ones. */
  durationMs: z.number(),
  /** The known tokens. */
  usage,
  /** The known cost in US dollars; null if there are calls and the cost of none is known. */
  cost: z.number().nullable(),
  /** Model calls with unknown cost. */
  unpriced: z.number(),
  /** Model calls that reported no tokens. */
  uncounted: z.number(),
};
const usageSum = namedObject('UsageSum', sum);
/** Sums of calls. */
export type UsageSum = z.output<typeof usageSum>;
const usageRow = namedObject('UsageRow', { key: z.string(), label: z.string(), ...sum });
/**
 * `key`: the day (`2026-11-21`), `provider/model`, `server/tool`, or the id of the agent or conversation, empty if
 * there was none. `label`: its name, if it still exists.
 */
export type UsageRow = z.output<typeof usageRow>;

export const usageReport = namedObject('UsageReport', {
  from: z.string(),
  to: z.string(),
  by: usageBy,
  rows: z.array(usageRow),
  total: usageSum,
});
/** `GET /api/usage`: usage per day (UTC), inclusive. */
export type UsageReport = z.output<typeof usageReport>;

const budgetView = namedObject('BudgetView', { budget, spent });
/** The current usage of a budget. */
export type BudgetView = z.output<typeof budgetView>;
export const budgetPage = createPageSchema('BudgetPage', budgetView);

function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
