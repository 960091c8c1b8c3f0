import { z } from 'zod';
import { namedObject, createPageSchema } from './common.ts';
import { ofRun } from './runs.ts';
import { spent } from './usage.ts';

export const runOrigin = z.enum(['chat', 'sub_agent', 'schedule', 'api']);
/**
 * What started a run: a message of the user, another run (`sub_agent`), a schedule, or a program (`api`: `POST /api/runs`
 * or an API key).
 */
export type RunOrigin = z.output<typeof runOrigin>;
const runSummary = namedObject('RunSummary', {
  ...ofRun,
  origin: runOrigin,
  /** Title of its conversation. */
  title: z.string(),
  /** Number of its open interrupts. */
  asks: z.int(),
  /** Usage of its models so far, without that of its sub-agents. */
  spent,
});
/** A run in a list of runs. */
export type RunSummary = z.output<typeof runSummary>;
export const runPage = createPageSchema('RunPage', runSummary);
export const runTree = namedObject('RunTree', {
  /** The top-level run first, siblings in the order of their tasks. */
  items: z.array(runSummary),
  /** Usage of the whole tree. */
  spent,
  /** There are more runs than these. */
  truncated: z.literal(true).exactOptional(),
});
/** `GET /api/runs/{id}/tree`: a run, the runs above it, and all runs below the topmost one. */
export type RunTree = z.output<typeof runTree>;
