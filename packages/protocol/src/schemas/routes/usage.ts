import { z } from 'zod';
import { queryText } from '../query.ts';
import { budgetPage, usageBy, usageDay, usageReport } from '../usage.ts';
import { defineRoutes } from './define-routes.ts';

export const usageRoutes = defineRoutes({
  'GET /api/usage': {
    summary: 'Get usage per day (UTC), inclusive; the last 30 days by default',
    query: z.strictObject({
      by: usageBy.default('day'),
      from: usageDay.exactOptional(),
      to: usageDay.exactOptional(),
      format: z.enum(['json', 'csv']).default('json'),
    }),
    answer: usageReport,
    orMediaType: 'text/csv',
  },
  'GET /api/usage/budgets': {
    summary: 'List budgets and their usage, of a conversation or of every new conversation',
    query: z.strictObject({ conversation: queryText.exactOptional() }),
    answer: budgetPage,
  },
});
