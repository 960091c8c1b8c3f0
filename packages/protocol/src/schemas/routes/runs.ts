import { z } from 'zod';
import type { RunStatus } from '../runs.ts';
import { queryBoolean, queryLimit, queryText } from '../query.ts';
import { resumedRun } from '../run-steps.ts';
import { runOrigin, runPage, runTree } from '../run-list.ts';
import { runRecord, runStatus, runView } from '../runs.ts';
import { subAgentList } from '../sub-agents.ts';
import { defineRoutes } from './define-routes.ts';

const statusList = z.array(runStatus).min(1);
/** One status, or several separated by commas. */
const statuses = z
  .string()
  .refine((text) => statusList.safeParse(text.split(',')).success, 'expected run statuses separated by commas')
  .transform((text) => text.split(',') as RunStatus[]);
const moment = z.coerce.number().int().min(0);

/** The stream of one run has an end; that of all runs has none. */
export const END_OF_STREAM =
  'The last one is `event: end` with `data: {}`, which is no RunEvent: close the stream then';

export const runsRoutes = defineRoutes({
  'GET /api/runs': {
    summary: 'List runs, newest first',
    query: z.strictObject({
      conversation: queryText.exactOptional(),
      agent: queryText.exactOptional(),
      /** Child runs of this run. */
      parent: queryText.exactOptional(),
      status: statuses.exactOptional(),
      /** With (`1`) or without (`0`) open interrupts. */
      asks: queryBoolean.exactOptional(),
      origin: runOrigin.exactOptional(),
      /** Runs of the conversations whose title or messages contain these words: the 200 best matches. */
      q: queryText.exactOptional(),
      from: moment.exactOptional(),
      until: moment.exactOptional(),
      after: z.string().max(500).exactOptional(),
      limit: queryLimit(50),
    }),
    answer: runPage,
  },
  'GET /api/runs/{id}': {
    summary: 'Get a run; `waitsFor` lists the roles that no process has, if they prevent progress',
    answer: runView,
  },
  'GET /api/runs/{id}/children': {
    summary: 'List the runs of the sub-agents that a run has started, in the order of their tasks',
    answer: subAgentList,
  },
  'GET /api/runs/{id}/tree': {
    summary: 'Get the tree of a run: the runs above it and all runs below the topmost one, with their usage',
    answer: runTree,
  },
  'POST /api/runs/{id}/cancel': { summary: 'Cancel a run; its output so far is kept', answer: runRecord },
  'POST /api/runs/{id}/skip-servers': {
    summary: 'Let a run begin without the MCP servers that it waits for',
    answer: runRecord,
  },
  'POST /api/runs/{id}/resume': {
    summary:
      'Resume a run: a parked one whose interrupts were answered, or, as a new run, one that failed or was cancelled',
    answer: resumedRun,
  },
  'GET /api/runs/{id}/events': {
    summary: `Stream the events of a run (server-sent events, each a RunEvent) until it ends. ${END_OF_STREAM}`,
    query: z.strictObject({ after: z.coerce.number().int().min(0).default(0) }),
    mediaType: 'text/event-stream',
    also: { 204: 'The run has ended and every event was read' },
  },
});
