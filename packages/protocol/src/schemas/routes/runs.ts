import { z } from 'zod';
import type { RunStatus } from '../runs.ts';
import { queryLimit, queryText } from '../query.ts';
import { resumedRun } from '../run-steps.ts';
import { runPage, runRecord, runStatus, runView } from '../runs.ts';
import { defineRoutes } from './define-routes.ts';

const statusList = z.array(runStatus).min(1);
/** One, or several with commas between. */
const statuses = z
  .string()
  .refine((text) => statusList.safeParse(text.split(',')).success, 'expected states of runs with commas between')
  .transform((text) => text.split(',') as RunStatus[]);
const moment = z.coerce.number().int().min(0);

export const runsRoutes = defineRoutes({
  'GET /api/runs': {
    summary: 'Runs, the newest first',
    query: z.strictObject({
      conversation: queryText.exactOptional(),
      agent: queryText.exactOptional(),
      status: statuses.exactOptional(),
      from: moment.exactOptional(),
      until: moment.exactOptional(),
      after: queryText.exactOptional(),
      limit: queryLimit(50),
    }),
    answer: runPage,
  },
  'GET /api/runs/{id}': {
    summary: 'A run; `waitsFor` where no process is there that could go on with it',
    answer: runView,
  },
  'POST /api/runs/{id}/cancel': { summary: 'Stop a run; what was said is kept', answer: runRecord },
  'POST /api/runs/{id}/resume': {
    summary: 'Let a run go on: one that rests and has its answers, or by a new run one that failed or was cancelled',
    answer: resumedRun,
  },
  'GET /api/runs/{id}/events': {
    summary: 'The events of a run as they come (server-sent events, each a RunEvent); ends with the run',
    query: z.strictObject({ after: z.coerce.number().int().min(0).default(0) }),
    mediaType: 'text/event-stream',
    also: { 204: 'The run is over and every event was read' },
  },
});
