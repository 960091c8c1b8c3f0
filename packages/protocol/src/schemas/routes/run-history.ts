import { z } from 'zod';
import { runExport, runSteps, startedRun, startRunBody } from '../run-steps.ts';
import { defineRoutes } from './define-routes.ts';

export const runHistoryRoutes = defineRoutes({
  'POST /api/runs': {
    summary: 'Begin a run with what a person says, in a conversation or in a new one',
    body: startRunBody,
    answer: startedRun,
    status: 201,
  },
  'GET /api/runs/{id}/steps': {
    summary: 'What a run did, step by step: model requests, calls with arguments and results, questions, times',
    answer: runSteps,
  },
  'GET /api/runs/{id}/export': {
    summary: 'A run as a file: its steps and the messages of its branch, as JSON or Markdown',
    query: z.strictObject({ format: z.enum(['json', 'markdown']).default('json') }),
    answer: runExport,
  },
});
