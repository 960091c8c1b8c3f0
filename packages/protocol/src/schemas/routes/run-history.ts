import { z } from 'zod';
import { runExport, runSteps, startedRun, startRunBody } from '../run-steps.ts';
import { END_OF_STREAM } from './runs.ts';
import { defineRoutes } from './define-routes.ts';

export const runHistoryRoutes = defineRoutes({
  'POST /api/runs': {
    summary:
      'Start a run with a user message, in an existing or a new conversation; repeated with the same header ' +
      '`Idempotency-Key`, the same run',
    body: startRunBody,
    answer: startedRun,
    status: 201,
    also: {
      200: { description: `With \`stream\`: the events of the run. ${END_OF_STREAM}`, mediaType: 'text/event-stream' },
      202: 'With `wait`: the run has not ended',
    },
  },
  'GET /api/runs/{id}/steps': {
    summary: 'List the steps of a run: model requests, calls with arguments and results, interrupts, times',
    answer: runSteps,
  },
  'GET /api/runs/{id}/export': {
    summary: 'Export a run: its steps and the messages of its branch, as JSON or Markdown',
    query: z.strictObject({ format: z.enum(['json', 'markdown']).default('json') }),
    answer: runExport,
    orMediaType: 'text/markdown',
  },
});
