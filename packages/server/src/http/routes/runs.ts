import type { RunStatus } from '@toolyard/protocol';
import {
  limit,
  resumedRun,
  runPage,
  runRecord,
  runStatus,
  runView as viewOfRun,
  word,
} from '@toolyard/protocol/schemas';
import { z } from 'zod';
import { runFrames } from '../frames.ts';
import type { EventStreams } from '../event-stream.ts';
import { notFound } from '../problems.ts';
import type { Router } from '../router.ts';
import { runView } from '../run-view.ts';
import type { HttpDeps } from '../types.ts';
import { whatRunWaitsFor } from '../what-run-waits-for.ts';

const statusList = z.array(runStatus).min(1);
/** One, or several with commas between. */
const statuses = z
  .string()
  .refine((text) => statusList.safeParse(text.split(',')).success, 'expected states of runs with commas between')
  .transform((text) => text.split(',') as RunStatus[]);
const moment = z.coerce.number().int().min(0);

const OVER: ReadonlySet<RunStatus> = new Set(['done', 'failed', 'cancelled']);

export function addRunRoutes({ route }: Router, deps: HttpDeps, eventStreams: EventStreams): void {
  const { storage, runs, streams } = deps;

  route({
    method: 'get',
    path: '/api/runs',
    summary: 'Runs, the newest first',
    query: z.strictObject({
      conversation: word.exactOptional(),
      agent: word.exactOptional(),
      status: statuses.exactOptional(),
      from: moment.exactOptional(),
      until: moment.exactOptional(),
      after: word.exactOptional(),
      limit: limit(50),
    }),
    answer: runPage,
    async handle({ principal, query: { conversation, agent, status, from, until, after, limit } }) {
      const found = await storage.runs.listRuns(principal, {
        limit: limit + 1,
        ...(conversation === undefined ? {} : { conversationId: conversation }),
        ...(agent === undefined ? {} : { agentId: agent }),
        ...(status === undefined ? {} : { statuses: status }),
        ...(from === undefined ? {} : { from }),
        ...(until === undefined ? {} : { until }),
        ...(after === undefined ? {} : { before: after }),
      });
      const items = found.slice(0, limit).map(runView);
      const last = items.at(-1);
      return { items, ...(found.length > limit && last !== undefined ? { next: last.id } : {}) };
    },
  });

  route({
    method: 'get',
    path: '/api/runs/{id}',
    summary: 'A run; `waitsFor` where no process is there that could go on with it',
    answer: viewOfRun,
    async handle({ principal, params: { id } }) {
      const run = await storage.runs.getRun(principal, id);
      if (run === null) throw notFound('run', id);
      const waitsFor = await whatRunWaitsFor(principal, run, deps);
      return { ...runView(run), ...(waitsFor === undefined ? {} : { waitsFor }) };
    },
  });

  route({
    method: 'post',
    path: '/api/runs/{id}/cancel',
    summary: 'Stop a run; what was said is kept',
    answer: runRecord,
    handle: async ({ principal, params: { id } }) => runView(await runs.cancel(principal, id)),
  });

  route({
    method: 'post',
    path: '/api/runs/{id}/resume',
    summary: 'Let a run go on: one that rests and has its answers, or by a new run one that failed or was cancelled',
    answer: resumedRun,
    handle: async ({ principal, params: { id } }) => ({
      run: runView(await runs.resume(principal, id)),
      resumes: id,
    }),
  });

  route({
    method: 'get',
    path: '/api/runs/{id}/events',
    summary: 'The events of a run as they come (server-sent events, each a RunEvent); ends with the run',
    query: z.strictObject({ after: z.coerce.number().int().min(0).default(0) }),
    mediaType: 'text/event-stream',
    also: { 204: 'The run is over and every event was read' },
    async handle({ c, principal, params: { id }, query }) {
      const run = await storage.runs.getRun(principal, id);
      if (run === null) throw notFound('run', id);
      const after = lastEventId(c.req.header('last-event-id')) ?? query.after;
      // An EventSource connects again when a stream ends; 204 tells it to stop.
      if (OVER.has(run.status) && after >= run.lastSeq) return new Response(null, { status: 204 });
      return eventStreams.answer(c, principal, (signal) => runFrames(streams.readRun(principal, id, after, signal)));
    },
  });
}

/** What an EventSource gives back; what is no seq is of some other stream and counts as none. */
function lastEventId(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
