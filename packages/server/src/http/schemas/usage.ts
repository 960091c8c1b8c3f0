import type { BudgetView, UsageReport, UsageRow, UsageSum } from '@toolyard/protocol';
import { z } from 'zod';
import { budget } from '../../config/agent-configuration.ts';
import { named, pageOf } from './common.ts';
import { exactly } from './exactly.ts';
import { usage } from './messages.ts';

/** A day as it is written: `2026-11-21`. */
export const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'expected a day such as 2026-11-21')
  .refine((text) => isDay(text), 'there is no such day');

export const by = z.enum(['day', 'model', 'agent', 'tool', 'conversation']);

export const spent = z.strictObject({
  dollars: z.number(),
  tokens: z.number(),
  calls: z.number(),
  unpriced: z.number(),
});

const sum = {
  modelCalls: z.number(),
  toolCalls: z.number(),
  failures: z.number(),
  durationMs: z.number(),
  usage,
  cost: z.number().nullable(),
  unpriced: z.number(),
  uncounted: z.number(),
};
const usageSum = named('UsageSum', exactly<UsageSum>()(z.strictObject(sum)));
const usageRow = named('UsageRow', exactly<UsageRow>()(z.strictObject({ key: z.string(), label: z.string(), ...sum })));

export const usageReport = named(
  'UsageReport',
  exactly<UsageReport>()(
    z.strictObject({ from: z.string(), to: z.string(), by, rows: z.array(usageRow), total: usageSum }),
  ),
);

const budgetView = named('BudgetView', exactly<BudgetView>()(z.strictObject({ budget, spent })));
export const budgetPage = pageOf('BudgetPage', budgetView);

function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
