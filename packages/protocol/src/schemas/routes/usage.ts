import { z } from 'zod';
import { queryText } from '../query.ts';
import { budgetPage, usageBy, usageDay, usageReport } from '../usage.ts';
import { defineRoutes } from './define-routes.ts';

export const usageRoutes = defineRoutes({
  'GET /api/usage': {
    summary: 'What calls of models and tools came to, on days in UTC, both included; 30 days up to today where absent',
    query: z.strictObject({
      by: usageBy.default('day'),
      from: usageDay.exactOptional(),
      to: usageDay.exactOptional(),
      format: z.enum(['json', 'csv']).default('json'),
    }),
    answer: usageReport,
  },
  'GET /api/usage/budgets': {
    summary: 'Budgets and what was used of them: those of a conversation, or those that count for every new one',
    query: z.strictObject({ conversation: queryText.exactOptional() }),
    answer: budgetPage,
  },
});
